---@meta
--- What travels, as far as it is read here. The server's documentation has all of it.

---@class copyspan.WireHunk
---@field range lsp.Range The old lines, whole.
---@field oldText string
---@field newText string

---@class copyspan.Scope
---@field range lsp.Range
---@field title string

---@class copyspan.Cost
---@field copiedLines integer
---@field generatedLines integer
---@field copiedTokens integer
---@field generatedTokens integer
---@field forwards integer
---@field plainForwards integer
---@field seconds number

---@class copyspan.Result
---@field editId string
---@field textDocument { uri: string, version: integer }
---@field scope copyspan.Scope
---@field hunks copyspan.WireHunk[]
---@field candidate integer
---@field candidates integer
---@field program string
---@field message string
---@field cost copyspan.Cost
---@field model string
---@field device string

---@class copyspan.PartialResult
---@field kind 'answer'|'copied'|'text'|'hunk'
---@field textDocument? { version: integer }
---@field line? integer
---@field text? string
---@field hunk? copyspan.WireHunk

---@class copyspan.Status
---@field state? string
---@field model? string
---@field device? string
---@field dtype? string
---@field queue? integer
---@field message? string
