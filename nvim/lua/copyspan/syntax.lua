--- Colours of text that is in no buffer, where tree-sitter colours the buffer. Elsewhere there are none.
local M = {}

---@class copyspan.Span
---@field start integer
---@field stop integer
---@field group string

---@param lines string[]
---@param language string
---@param query vim.treesitter.Query
---@return table<integer, copyspan.Span[]> spans By the number of the line, from 1; later ones win.
local function parse(lines, language, query)
  local text = table.concat(lines, '\n')
  local root = vim.treesitter.get_string_parser(text, language):parse()[1]:root()
  local spans = {} ---@type table<integer, copyspan.Span[]>
  for id, node in query:iter_captures(root, text) do
    local first, start, last, stop = node:range()
    local name = query.captures[id]
    for row = first, name:find('^_') and -1 or math.min(last, #lines - 1) do
      spans[row + 1] = spans[row + 1] or {}
      table.insert(spans[row + 1], {
        start = row == first and start or 0,
        stop = row == last and stop or #lines[row + 1],
        group = ('@%s.%s'):format(name, language),
      })
    end
  end
  return spans
end

---@param bufnr integer
---@param lines string[]
---@return table<integer, copyspan.Span[]>
function M.spans(bufnr, lines)
  local highlighter = vim.treesitter.highlighter.active[bufnr]
  local language = highlighter and highlighter.tree:lang()
  local query = language and vim.treesitter.query.get(language, 'highlights')
  if not language or not query then return {} end
  local is_parsed, spans = pcall(parse, lines, language, query)
  return is_parsed and spans or {} -- half a statement may be more than a parser takes
end

return M
