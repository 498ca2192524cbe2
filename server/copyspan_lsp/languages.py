"""Facts about the language ids that editors send: comments, quotes, file suffix, grammar. Knows no document.

Ids differ from editor to editor ("csharp" and "cs", "shellscript" and "sh"), so one row of the table names all that
share their comments. What is not in the table gets every common kind of comment: one too many does less harm there
than one too few.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_ALL_QUOTES = "\"'`"
_DOUBLE = '"'  # where an apostrophe has other uses: lifetimes, quoted lists, primed names
_PROSE = "`"  # where people write don't


@dataclass(frozen=True, slots=True)
class Language:
    """What one language id stands for.

    `suffix` is the file name's end, with its dot, for documents that have no name yet. `block_comments` are pairs of
    opener and closer. `grammar` is the package of the tree-sitter grammar, with the function that returns it
    ("package:function") where that is not `language`; None where none is used. `quotes` are the characters between
    which a comment cannot begin.
    """

    id: str
    suffix: str
    line_comments: tuple[str, ...]
    block_comments: tuple[tuple[str, str], ...]
    grammar: str | None = None
    quotes: str = _ALL_QUOTES


def language(id: str) -> Language:
    """The language with this id, in any case. Raises nothing: an unknown id gets generous defaults."""
    known = _LANGUAGES.get(id.lower())
    return known or Language(id, ".txt", _COMMON_LINE, _COMMON_BLOCK)


_GRAMMARS = {
    "python": "tree_sitter_python",
    "javascript": "tree_sitter_javascript",
    "javascriptreact": "tree_sitter_javascript",
    "jsx": "tree_sitter_javascript",
    "typescript": "tree_sitter_typescript:language_typescript",
    "typescriptreact": "tree_sitter_typescript:language_tsx",
    "tsx": "tree_sitter_typescript:language_tsx",
}

_COMMON_LINE = ("#", "//", "--", ";", "%")
_COMMON_BLOCK = (("<!--", "-->"), ("/*", "*/"))


def _rows(ids: str, line: str, block: str = "", quotes: str = _ALL_QUOTES) -> list[Language]:
    """`ids` are words "id.suffix", `line` the openers, `block` openers and closers in turn."""
    words = block.split()
    pairs = tuple(zip(words[::2], words[1::2], strict=True))
    names = (word.split(".") for word in ids.split())
    return [Language(id, f".{end}", tuple(line.split()), pairs, _GRAMMARS.get(id), quotes) for id, end in names]


_C = "c.c cpp.cpp c++.cpp cuda.cu csharp.cs cs.cs objective-c.m objective-cpp.mm objc.m java.java kotlin.kt scala.scala"
_WEB = "javascript.js javascriptreact.jsx jsx.jsx typescript.ts typescriptreact.tsx tsx.tsx json.json jsonc.jsonc"
_OTHERS = "go.go swift.swift dart.dart groovy.groovy fsharp.fs proto.proto scss.scss less.less jsonnet.jsonnet"
_HASHED = "yaml.yaml toml.toml dockerfile.dockerfile makefile.mk make.mk cmake.cmake ruby.rb perl.pl r.r elixir.ex"
_SHELLS = "shellscript.sh sh.sh bash.sh zsh.zsh fish.fish"
_MARKUP = "html.html xml.xml xsl.xsl svg.svg markdown.md quarto.qmd"
_TEMPLATES = "jinja.jinja jinja-html.html django-html.html twig.twig"
_LISPS = "clojure.clj scheme.scm racket.rkt lisp.lisp commonlisp.lisp emacs-lisp.el elisp.el"

_LANGUAGES: Mapping[str, Language] = MappingProxyType(
    {
        row.id: row
        for row in (
            *_rows(f"{_C} {_WEB} {_OTHERS}", "//", "/* */"),
            *_rows("rust.rs zig.zig", "//", "/* */", _DOUBLE),
            *_rows("css.css", "", "/* */"),
            *_rows("php.php", "// #", "/* */ <!-- -->"),
            *_rows("vue.vue svelte.svelte astro.astro razor.cshtml", "//", "<!-- --> /* */"),
            *_rows("python.py", "#"),
            *_rows(f"{_HASHED} {_SHELLS} coffeescript.coffee graphql.graphql git-commit.txt gitcommit.txt", "#"),
            *_rows("terraform.tf hcl.hcl nix.nix", "# //", "/* */"),
            *_rows("powershell.ps1 ps1.ps1", "#", "<# #>", "\"'"),
            *_rows("julia.jl", "#", "#= =#", _DOUBLE),
            *_rows("nim.nim", "#", "#[ ]#", _DOUBLE),
            *_rows("ini.ini dosini.ini conf.conf properties.properties", "; #"),
            *_rows("sql.sql", "--", "/* */"),
            *_rows("lua.lua", "--", "--[[ ]]"),
            *_rows("haskell.hs elm.elm purescript.purs", "--", "{- -}", _DOUBLE),
            *_rows("ada.adb vhdl.vhdl", "--", "", _DOUBLE),
            *_rows("ocaml.ml", "", "(* *)", _DOUBLE),
            *_rows("pascal.pas", "//", "{ } (* *)"),
            *_rows(_LISPS, ";", "#| |#", _DOUBLE),
            *_rows("erlang.erl", "%"),
            *_rows("matlab.m octave.m", "% #", "%{ %}", _DOUBLE),
            *_rows("latex.tex tex.tex bibtex.bib", "%", "", _PROSE),
            *_rows("fortran.f90", "!"),
            *_rows("vim.vim", '"', "", '"' + "'"),
            *_rows("bat.bat dosbatch.bat", "rem ::", "", _DOUBLE),
            *_rows("vb.vb", "'", "", _DOUBLE),
            *_rows(_MARKUP, "", "<!-- -->", _PROSE),
            *_rows("restructuredtext.rst rst.rst", "..", "", _PROSE),
            *_rows(_TEMPLATES, "", "{# #} <!-- -->", _PROSE),
            *_rows("handlebars.hbs", "", "{{!-- --}} {{! }} <!-- -->", _PROSE),
            *_rows("plaintext.txt text.txt", " ".join(_COMMON_LINE), "<!-- --> /* */", _PROSE),
        )
    }
)
