/** Firefox's background page: runs the engine itself, because it may start workers. */

import { serve } from "./engine.js";
import { listen } from "./listen.js";

serve();
listen(async () => {});
