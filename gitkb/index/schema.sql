-- The search index: nothing here that could not be read again from the data files.
--
-- Change anything here, or in document.py what becomes of a line, and raise VERSION in database.py:
-- an index of another version is discarded and built anew.

-- One row: what this database is, and which of its states. `version` says how lines and words were
-- read (see `database.version_of`), `token` is drawn anew by every change.
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version TEXT NOT NULL,
    token TEXT NOT NULL
);

-- Each data file as it was when it was read. An empty signature: read again before it is believed.
CREATE TABLE file (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    signature TEXT NOT NULL,
    digest BLOB NOT NULL
);

-- Each file in blocks of lines, see blocks.py. Apart from `file`, because every command reads that
-- whole and this only for files that have changed.
CREATE TABLE content (
    file INTEGER PRIMARY KEY,
    hashes BLOB NOT NULL,
    sizes BLOB NOT NULL,
    lines BLOB NOT NULL,
    goods BLOB NOT NULL,
    ids BLOB NOT NULL
);

-- What could not be read.
CREATE TABLE problem (
    file INTEGER NOT NULL,
    line INTEGER NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    hint TEXT NOT NULL
);

-- The one line that each key shows: its text, and what filters and ranking ask of it. `facets` holds
-- one a line: "type fact", "tag auth", "file src/a.py". `text` last: filtering never reads that far.
CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    archive INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    importance INTEGER NOT NULL,
    facets TEXT NOT NULL,
    text BLOB NOT NULL
);

-- The edges that leave the entries that are shown, stored and derived, see core/link.py.
CREATE TABLE edge (
    source TEXT NOT NULL,
    relation TEXT NOT NULL,
    target TEXT NOT NULL,
    derived INTEGER NOT NULL,
    PRIMARY KEY (source, relation, target)
) WITHOUT ROWID;
CREATE INDEX edge_target ON edge (target);

-- Every other good line: tombstones, older versions, duplicates. No id stands in both tables.
CREATE TABLE line (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    archive INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    text BLOB NOT NULL
);

-- Every word of the entries that are shown, as it is written, and how many of them hold it.
CREATE TABLE word (
    id INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE,
    number INTEGER NOT NULL
);

-- For each run of three letters the words that hold it, as an array of their ids, see vocabulary.py.
CREATE TABLE gram (
    gram TEXT PRIMARY KEY,
    ids BLOB NOT NULL
) WITHOUT ROWID;

-- Full text of the entries that are shown: the stems of their words, parted by spaces. Their texts
-- are not kept here, so an entry's stems are taken out as its line gives them once more, in the same
-- transaction as the entry itself.
-- detail=full and columnsize=1 (the defaults) because bm25 is four times as slow without them.
CREATE VIRTUAL TABLE words USING fts5(
    title, tags, content, files, names,
    content = '',
    tokenize = 'ascii'
);
