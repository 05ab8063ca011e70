// A short letter with unknown words and wrong words, for a first try.

export const EXAMPLE = `Dear Alex,

Thank you for you're letter. I recieved it on Wensday, but I forgot to answer. I am definately \
coming too the meeting tommorow.

Our new libary opens next month. We expect more visitors then last year, and I hope that \
everybody will find there way in the new bulding.

Please tell me weather you can join us. It is a long journey, but the view is worth it.

Best wishes
Robin
`;
