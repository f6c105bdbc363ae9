"""Words and phrases that texts for users must not have: README.md, docs (except the logs in docs/notes), help, error
texts, comments of the public headers.

Each is a pattern of whole words, what to write instead, and the reason. Write for an engineer in a hurry whose first
language may not be English: subject, verb, object; one idea a sentence; the actor named; one word for one thing.
"""

BANNED = [
    # One word for one thing.
    (r"oracles?", "reference", "the kernel that gives the right result"),
    (r"ceilings?", "roof", "measured or theoretical roof"),
    (r"copy engine", "bulk async copy (TMA)", "the hardware's name"),
    (r"turns? of (?:its|the) (?:shared memory|banks)", "shared-memory wavefronts", "the profiler's name"),
    (r"evidence", "diagnostic", "the text of a failed trial"),
    (r"in turns", "interleaved", "the term of the field"),
    (r"end(?:s|ed|ing)? (?:in|with) \d+", "exits with", "a shell's term is exit code"),
    (r"(?:has|have|had) to", "must", "one word for a duty"),
    (r"mend(?:s|ed|ing)?", "fix", "an old word"),
    (r"(?:go|goes|went|going) on", "continue", "what --resume does"),
    (r"times (?:as fast|faster|slower|the best|the default)", "1.65x", "ratios are written 1.65x"),
    # Clauses in place of nouns.
    (r"what becomes of", "field mapping", "name the thing"),
    (r"what (?:a launch|they|the finalists|each) draws?", "energy per launch", "name the thing"),
    (r"so many", "N", "say the number or the unit"),
    # Word order and idioms that read as translated.
    (r"(?<!there )(?<!where )is no (?!longer|more|less|worse|slower|faster|better)", "is not a", "reads as translated"),
    (r"(?<!left )(?<!leave )(?<!leaves )alone", "only, before the noun", "reads as translated behind the noun"),
    (r", for (?:it|they|there|that|its|their|no)", "because", "'for' as a reason"),
    (r"(?:lie|lies|lay|stands?|stood) (?:in|at|beside|behind|there|below|above|on)", "is", "a plain verb"),
    (r"one's own|of ours|of our own", "your own, warptune's", "reads as translated"),
    (r"(?:all is|is not|are not|was not) well", "completed, with failures", "say what failed"),
    (r"speaks? against", "all checked results still hold", "an idiom"),
    (r"the later word", "the newer value wins", "an idiom"),
    (r"counts as far as", "is read up to the cut", "an idiom"),
    (r"no news", "a note", "an idiom"),
    # Persons.
    (r"whoever|nobody|somebody|anybody|everybody", "the user, the caller, the kernel", "name the role"),
    (r"deaf|wish(?:es|ed)?|hears?|heard", "receives, is given", "programs are not persons"),
    (r"wants? quotes", "quote values that contain spaces", "programs are not persons"),
]
DOCUMENTS = ["README.md", "docs/*.md", "docs/design/*.md"]
# In these files, string literals with a space are checked, except SQL.
SOURCES = ["cli/*.cpp", "cli/*.h", "src/*.cpp", "src/*.h", "src/*.hpp", "db/*.cpp", "db/*.h", "search/*.cpp",
           "search/*.h", "profiler/*.cpp", "profiler/*.h", "python/warptune/*.py", "src/report/web/*.js"]
# The comments of these files are checked as well.
PUBLIC_HEADERS = ["src/runtime/include/*"]
# Names in sources: a pattern, and the form to use.
BANNED_NAMES = [(r"\bk(?:Most|Greatest)[A-Z]\w*", "kMax..."), (r"\bk(?:Least|Fewest)[A-Z]\w*", "kMin...")]
# Names in JSON and in the database that do not change: {"evidence": ...}.
STABLE_NAMES = [r"\.evidence"]
