"""Subword models: the layout and labels of pieces, and pretrained language models."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from respell.lab.train.models.base import Batch, Sizes, Targets
from respell.lab.train.models.subword import Subword, SubwordConfig
from respell.lab.train.pretrained import read_encoder
from respell.model.encode import FIRST_CHARACTER, Encoder
from respell.model.lexicon import Lexicon
from respell.types import Error

LETTERS = "abcdefghijklmnopqrstuvwxyz'"
VOCABULARY = (
    *"[PAD] [UNK] [CLS] [SEP] [MASK] ## the cat ##s sat".split(),
    *LETTERS,
    *(f"##{letter}" for letter in LETTERS),
)
SIZES = Sizes(9, len(LETTERS) + FIRST_CHARACTER, 40)
WIDTH, LAYERS, HEADS, POSITIONS = 24, 2, 4, 200
SMALL = SubwordConfig(
    width=WIDTH, layers=LAYERS, heads=HEADS, pieces=len(VOCABULARY), positions=POSITIONS, dropout=0
)
KINDS = ("bert", "ernie", "distilbert", "mpnet")
# The tensors of a layer: query, key, value, output, norm, wide, narrow, norm.
BERT_LAYER = (
    "encoder.layer.{}.attention.self.query encoder.layer.{}.attention.self.key "
    "encoder.layer.{}.attention.self.value encoder.layer.{}.attention.output.dense "
    "encoder.layer.{}.attention.output.LayerNorm encoder.layer.{}.intermediate.dense "
    "encoder.layer.{}.output.dense encoder.layer.{}.output.LayerNorm"
).split()
MPNET_LAYER = [
    *(f"encoder.layer.{{}}.attention.attn.{name}" for name in "qkvo"),
    "encoder.layer.{}.attention.LayerNorm",
    *BERT_LAYER[5:],
]
DISTILBERT_LAYER = [
    *(f"transformer.layer.{{}}.attention.{name}_lin" for name in ("q", "k", "v", "out")),
    *(f"transformer.layer.{{}}.{name}" for name in ("sa_layer_norm", "ffn.lin1", "ffn.lin2")),
    "transformer.layer.{}.output_layer_norm",
]
NAMES = {
    "bert": BERT_LAYER,
    "ernie": BERT_LAYER,
    "mpnet": MPNET_LAYER,
    "distilbert": DISTILBERT_LAYER,
}


def config_of(kind: str) -> dict[str, Any]:
    if kind == "distilbert":
        sizes = {"dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS, "hidden_dim": 4 * WIDTH}
        return {"model_type": kind, **sizes, "activation": "gelu"}
    return {
        "model_type": kind,
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": 4 * WIDTH,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-5 if kind == "mpnet" else 1e-12,
    }


def weights_of(kind: str) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(7)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator) * 0.3

    first = 2 if kind == "mpnet" else 0
    weights = {
        "embeddings.word_embeddings.weight": draw(len(VOCABULARY), WIDTH),
        "embeddings.position_embeddings.weight": draw(POSITIONS + first, WIDTH),
        "embeddings.LayerNorm.weight": 1 + draw(WIDTH),
        "embeddings.LayerNorm.bias": draw(WIDTH),
        "pooler.dense.weight": draw(WIDTH, WIDTH),
    }
    if kind in ("bert", "ernie"):
        weights["embeddings.token_type_embeddings.weight"] = draw(2, WIDTH)
    if kind == "ernie":
        weights["embeddings.task_type_embeddings.weight"] = draw(3, WIDTH)
    if kind == "mpnet":
        weights["encoder.relative_attention_bias.weight"] = draw(32, HEADS) * 5
    for i in range(LAYERS):
        for number, name in enumerate(NAMES[kind]):
            norm, out = number in (4, 7), 4 * WIDTH if number == 5 else WIDTH
            shape = (out,) if norm else (out, 4 * WIDTH if number == 6 else WIDTH)
            weights[f"{name.format(i)}.weight"] = draw(*shape) + norm
            weights[f"{name.format(i)}.bias"] = draw(out)
    return weights


def write_folder(
    folder: Path,
    kind: str,
    rename: Callable[[str], str] = str,
    **changes: object,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config_of(kind) | changes), encoding="utf-8")
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    weights = {rename(name): tensor for name, tensor in weights_of(kind).items()}
    save_file(weights, folder / "model.safetensors")
    return folder


def plain_reading(kind: str, pieces: Tensor) -> Tensor:
    """The hidden states of one sentence, [length] -> [length, WIDTH], a plain implementation."""
    w = weights_of(kind)
    epsilon = 1e-5 if kind == "mpnet" else 1e-12

    def norm(x: Tensor, name: str) -> Tensor:
        return functional.layer_norm(x, (WIDTH,), w[f"{name}.weight"], w[f"{name}.bias"], epsilon)

    def linear(x: Tensor, name: str) -> Tensor:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    length, size = len(pieces), WIDTH // HEADS
    places = torch.arange(length) + (2 if kind == "mpnet" else 0)
    x = w["embeddings.word_embeddings.weight"][pieces]
    x = x + w["embeddings.position_embeddings.weight"][places]
    for table in ("token_type", "task_type"):
        x = x + w.get(f"embeddings.{table}_embeddings.weight", torch.zeros(1, WIDTH))[0]
    x = norm(x, "embeddings.LayerNorm")
    for i in range(LAYERS):
        query, key, value, out, norm_1, wide, narrow, norm_2 = (n.format(i) for n in NAMES[kind])
        q, k, v = linear(x, query), linear(x, key), linear(x, value)
        heads = []
        for h in range(HEADS):
            own = slice(h * size, (h + 1) * size)
            scores = q[:, own] @ k[:, own].T / size**0.5
            if kind == "mpnet":
                bias = w["encoder.relative_attention_bias.weight"][:, h]
                scores += torch.stack(
                    [bias[[bucket(b - a) for b in range(length)]] for a in range(length)]
                )
            heads.append(scores.softmax(-1) @ v[:, own])
        x = norm(x + linear(torch.cat(heads, -1), out), norm_1)
        x = norm(x + linear(functional.gelu(linear(x, wide)), narrow), norm_2)
    return x


def bucket(apart: int) -> int:
    """The row of the bias: keys ahead from row 16; near keys have a row each, far ones share."""
    distance = abs(apart)
    far = 8 + sum(distance >= edge for edge in (12, 16, 23, 32, 46, 64, 91))
    return (16 if apart > 0 else 0) + (distance if distance < 8 else far)


def batch_of(*rows: str) -> Batch:
    """A batch of rows, whose sentences are separated by "|"."""
    split = [[sentence.split() for sentence in row.split("|")] for row in rows]
    longest = max(sum(map(len, row)) for row in split)
    words, segments, places, slots = (torch.zeros(len(rows), longest).long() for _ in range(4))
    spelled = [""]
    for i, row in enumerate(split):
        column = 0
        for number, sentence in enumerate(row, 1):
            for place, word in enumerate(sentence):
                words[i, column], segments[i, column], places[i, column] = 1, number, place
                slots[i, column] = len(spelled)
                spelled.append(word)
                column += 1
    rows_of = Encoder(Lexicon(("a",)), LETTERS, "exact").spell(spelled)
    shapes = torch.zeros_like(words)
    return Batch(words, shapes, slots, torch.from_numpy(rows_of), segments, places)


def targets_of(batch: Batch) -> Targets:
    labels = (torch.arange(batch.words.numel()).view_as(batch.words) % 9).where(
        batch.segments > 0, -1
    )
    no = torch.zeros_like(labels, dtype=torch.bool)
    return Targets(labels, no, no, batch.segments > 0, torch.zeros_like(labels))


def vocabulary_file(folder: Path) -> str:
    path = folder / "vocab.txt"
    path.write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    return str(path)


def prepared(config: SubwordConfig) -> Subword:
    torch.manual_seed(1)
    model = Subword(config, SIZES)
    model.prepare(LETTERS)
    return model


def named(pieces: Tensor) -> str:
    return " ".join(VOCABULARY[i] for i in pieces.tolist())


def hidden_states(model: Subword, batch: Batch) -> tuple[Tensor, Tensor]:
    with torch.no_grad():
        layout = model.eval().lay_out(batch)
        return layout.pieces, model._read(layout)


def last_size(folder: Path) -> Tensor:
    """The size of the output of the folder's model; our model scales it to 1."""
    name = f"context.layers.{SMALL.layers - 1}.norm_inner.weight"
    return read_encoder(folder).state[name].square().mean().sqrt()


def of_kind(kind: str, folder: Path) -> SubwordConfig:
    mpnet = kind == "mpnet"
    return replace(SMALL, pretrained=str(folder), relative=mpnet, epsilon=1e-5 if mpnet else 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_hidden_states_agree_with_a_plain_implementation(kind: str, tmp_path: Path) -> None:
    model = prepared(of_kind(kind, write_folder(tmp_path, kind)))
    long = "supercalifragilistic " * 9  # longer than the largest distance of MPNet's bias
    pieces, read = hidden_states(model, batch_of("the cats sat", long))
    assert named(pieces[0, :6]) == "[CLS] the cat ##s sat [SEP]"
    read = read * last_size(tmp_path)
    torch.testing.assert_close(read[0, :6], plain_reading(kind, pieces[0, :6]))
    assert pieces.shape[1] > 150
    torch.testing.assert_close(read[1], plain_reading(kind, pieces[1]), atol=1e-4, rtol=1e-4)


@pytest.mark.clients
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("kind", KINDS)
def test_hidden_states_agree_with_transformers(kind: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    settings = {k: v for k, v in config_of(kind).items() if k != "model_type"}
    first = 2 if kind == "mpnet" else 0
    settings |= {"vocab_size": len(VOCABULARY), "max_position_embeddings": POSITIONS + first}
    if kind == "ernie":
        settings |= {"use_task_id": True}
    torch.manual_seed(2)
    theirs = transformers.AutoModel.from_config(
        transformers.AutoConfig.for_model(kind, **settings)
    ).eval()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    theirs.save_pretrained(tmp_path)
    vocabulary_file(tmp_path)
    model = prepared(of_kind(kind, tmp_path))
    pieces, read = hidden_states(model, batch_of("supercalifragilistic " * 9))
    with torch.no_grad():
        wanted = theirs(input_ids=pieces, attention_mask=torch.ones_like(pieces))
    states = read * last_size(tmp_path)
    torch.testing.assert_close(states, wanted.last_hidden_state, atol=1e-4, rtol=1e-4)


def test_prefixed_names_and_old_names_of_norms(tmp_path: Path) -> None:
    def old(name: str) -> str:
        renamed = name.replace("LayerNorm.weight", "LayerNorm.gamma")
        return "bert." + renamed.replace("LayerNorm.bias", "LayerNorm.beta")

    new = read_encoder(write_folder(tmp_path / "new", "bert"))
    same = read_encoder(write_folder(tmp_path / "old", "bert", old))
    assert new.numbers == same.numbers
    assert new.state.keys() == same.state.keys()
    assert all(torch.equal(new.state[name], same.state[name]) for name in new.state)


def test_every_weight_of_the_encoder_is_used(tmp_path: Path) -> None:
    model = prepared(of_kind("mpnet", write_folder(tmp_path, "mpnet")))
    own = {n for n, _ in model.named_parameters() if not n.startswith("head.")}
    assert own == set(read_encoder(tmp_path).state)


@pytest.mark.parametrize("labels", ["first", "bio2"])
def test_output_vectors_start_as_the_mean_of_the_pieces(labels: str, tmp_path: Path) -> None:
    config = replace(of_kind("bert", write_folder(tmp_path, "bert")), labels=labels)
    model = prepared(config)
    words = ["the", "cat", "cats", "sat"]
    lexicon = model.head.words.table.shape[0] // (2 if labels == "bio2" else 1)
    spellings = batch_of(" ".join(words)).spellings[1:]
    model.init_output(spellings.repeat(-(-lexicon // 4), 1)[:lexicon])
    table = model.head.words.table.detach()
    pieces = model.pieces.weight.detach()
    by_piece = {piece: pieces[i] for i, piece in enumerate(VOCABULARY)}
    by_piece["cats"] = (by_piece["cat"] + by_piece["##s"]) / 2
    wanted = torch.stack([by_piece[words[i % 4]] for i in range(lexicon)])
    wanted -= wanted.mean(0)
    wanted *= 0.02 / wanted.std()
    for part in torch.split(table, lexicon):
        torch.testing.assert_close(part, wanted)


def test_without_a_language_model_output_vectors_stay_random(tmp_path: Path) -> None:
    model = prepared(replace(SMALL, vocabulary=vocabulary_file(tmp_path)))
    before = model.head.words.table.clone()
    model.init_output(batch_of("the cat").spellings)
    assert torch.equal(model.head.words.table, before)


def test_a_checkpoint_does_not_need_the_language_model(tmp_path: Path) -> None:
    config = of_kind("bert", write_folder(tmp_path, "bert"))
    trained = prepared(config)
    again = Subword(replace(config, pretrained=str(tmp_path / "gone")), SIZES)
    again.load_state_dict(trained.state_dict())
    batch = batch_of("the cat sat", "cats")
    assert torch.equal(trained.eval().encode(batch), again.eval().encode(batch))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "t5"}, r"'t5' is not supported, only bert, ernie, distilbert, mpnet"),
        ({"intermediate_size": 7}, "needs an inner width of 4 times"),
        ({"hidden_act": "relu"}, "and GELU"),
        ({"num_hidden_layers": 3}, r"encoder\.layer\.2.* is missing"),
    ],
)
def test_unsupported_language_models_are_errors(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    folder = write_folder(tmp_path, "bert", **changes)
    with pytest.raises(Error, match=message):
        read_encoder(folder)


def test_missing_or_damaged_files_are_errors(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, "bert")
    (folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(Error, match=r"model\.safetensors: cannot be read"):
        read_encoder(folder)
    (folder / "model.safetensors").unlink()
    with pytest.raises(Error, match=r"model\.safetensors: cannot be read"):
        read_encoder(folder)
    for text, message in (("[]", "not the configuration"), ("{", "cannot be read")):
        (folder / "config.json").write_text(text, encoding="utf-8")
        with pytest.raises(Error, match=message):
            read_encoder(folder)
    (folder / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    with pytest.raises(Error, match="'hidden_size' is missing"):
        read_encoder(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layers": 1}, r"model\.layers = 1 does not fit, write 2"),
        ({"heads": 2}, r"model\.heads = 2 does not fit, write 4"),
        ({"pieces": 99}, r"model\.pieces = 99 does not fit"),
        ({"relative": True}, r"model\.relative = True does not fit, write false"),
        ({"epsilon": 1e-5}, r"model\.epsilon"),
        ({"pieces": 3}, r"write model\.pieces = "),
        ({"pretrained": ""}, r"set model\.vocabulary to a vocab\.txt or model\.pretrained"),
    ],
)
def test_a_recipe_that_does_not_fit_the_language_model_is_an_error(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    config = of_kind("bert", write_folder(tmp_path, "bert"))
    with pytest.raises(Error, match=message):
        prepared(replace(config, **changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"heads": 5}, r"model\.width must be a multiple of model\.heads"),
        ({"char_heads": 0}, r"model\.char_width must be a multiple of model\.char_heads"),
        ({"labels": "last"}, r'model\.labels = \'last\': write "first" or "bio2"'),
        ({"labels": "bio2", "keep": True}, "does not support KEEP"),
        ({"factor": 0.0}, r"model\.factor = 0\.0"),
        ({"vocabulary": "a", "pretrained": "b"}, "has its own vocabulary"),
    ],
)
def test_invalid_configurations_are_errors(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(Error, match=message):
        replace(SMALL, **changes)


def test_layout_of_pieces(tmp_path: Path) -> None:
    model = prepared(replace(SMALL, vocabulary=vocabulary_file(tmp_path)))
    batch = batch_of("the cats sat|it sat", "cat")
    layout = model.eval().lay_out(batch)
    assert named(layout.pieces[0]) == "[CLS] the cat ##s sat [SEP] [CLS] i ##t sat [SEP]"
    assert layout.segments[0].tolist() == [1] * 6 + [2] * 5
    assert layout.positions[0].tolist() == [*range(6), *range(5)]
    assert layout.words[0].tolist() == [0, 1, 2, 2, 3, 0, 0, 4, 4, 5, 0]
    assert layout.first[0].tolist() == [1, 2, 4, 7, 9]
    assert named(layout.pieces[1, :4]) == "[CLS] cat [SEP] [PAD]"
    assert layout.segments[1].tolist() == [1] * 3 + [0] * 8
    assert layout.fits.tolist() == [[True] * 5, [True] + [False] * 4]
    trained = model.train().lay_out(batch)
    assert trained.pieces.shape == (2, 16)  # 2 * 5 + 2, rounded up to a multiple of 8
    assert torch.equal(trained.pieces[:, :11], layout.pieces)


def test_a_word_without_pieces_is_unknown(tmp_path: Path) -> None:
    model = prepared(replace(SMALL, vocabulary=vocabulary_file(tmp_path)))
    batch = batch_of("the cat")
    layout = model.eval().lay_out(replace(batch, slots=torch.tensor([[1, 0]])))
    assert named(layout.pieces[0]) == "[CLS] the [UNK] [SEP]"


def test_words_that_are_cut_off_are_not_trained(tmp_path: Path) -> None:
    config = replace(SMALL, vocabulary=vocabulary_file(tmp_path), factor=1.0, epsilon=1e-5)
    model = prepared(config)
    # There is room for 8 columns: [CLS] d ##o ##g i ##s [SEP] and the second [CLS].
    batch = batch_of("dog is|the a")
    targets = targets_of(batch)
    assert model.lay_out(batch).fits.tolist() == [[True, True, False, False]]
    losses = model(batch, targets)
    assert losses["cut"].item() == 0.5
    known = replace(targets, labels=targets.labels.where(torch.tensor([[1, 1, 0, 0]]) > 0, -1))
    assert losses["loss"].item() == pytest.approx(model(batch, known)["loss"].item())
    assert prepared(replace(config, factor=2.0))(batch, targets)["cut"].item() == 0


def test_labels_of_all_pieces(tmp_path: Path) -> None:
    config = replace(SMALL, vocabulary=vocabulary_file(tmp_path), labels="bio2", char_layers=1)
    model = prepared(config)
    batch = batch_of("the cats it")
    layout = model.lay_out(batch)
    targets = targets_of(batch)
    targets = replace(targets, labels=torch.tensor([[3, 5, -1]]))
    hidden = model._read(layout)
    vectors, labelled = model._every_piece(hidden, layout, batch, targets)
    lexicon = SIZES.lexicon
    assert named(layout.pieces[0]) == "[CLS] the cat ##s i ##t [SEP] [PAD]"
    assert labelled.labels.tolist() == [[-1, 3, 5, 5 + lexicon, -1, -1, -1, -1]]
    torch.testing.assert_close(vectors[:, [1, 2, 4]], model._words(hidden, layout, batch))
    found = model.eval().predict(
        batch.words, batch.shapes, batch.slots, batch.spellings, torch.tensor(0.0), k=99
    )
    assert found.ids.shape == (3, lexicon)
    assert found.probabilities.sum(1).tolist() == pytest.approx([1, 1, 1])


def test_a_sentence_may_be_longer_than_the_positions(tmp_path: Path) -> None:
    model = prepared(replace(SMALL, vocabulary=vocabulary_file(tmp_path), positions=8)).eval()
    batch = batch_of("supercalifragilistic the cat", "the cat")
    alone = model.encode(batch_of("the cat"))
    assert torch.isfinite(model.encode(batch)).all()
    torch.testing.assert_close(model.encode(batch)[1, :2], alone[0])


@pytest.mark.parametrize("changes", [{"labels": "bio2"}, {"relative": True, "keep": True}])
def test_training_compiles_to_one_graph(changes: dict[str, Any], tmp_path: Path) -> None:
    config = replace(SMALL, vocabulary=vocabulary_file(tmp_path), layers=1, **changes)
    model = prepared(config)
    batch = batch_of("the cats sat|it sat", "cat")
    plain = model(batch, targets_of(batch))
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    losses = compiled(batch, targets_of(batch))
    assert losses["loss"].item() == pytest.approx(plain["loss"].item(), abs=1e-5)


def test_weights_are_converted_to_32_bits(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, "bert")
    path = folder / "model.safetensors"
    save_file({name: tensor.half() for name, tensor in load_file(path).items()}, path)
    assert {tensor.dtype for tensor in read_encoder(folder).state.values()} == {torch.float32}
