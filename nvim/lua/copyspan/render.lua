--- New lines as the chunks of virtual lines. Pure: knows no buffer and no window.
local M = {}

---@alias copyspan.Chunk [string, string[]]

---@class copyspan.Look
---@field width? integer Columns of the window: lines are broken there, and filled up to it.
---@field tabstop integer
---@field spans? table<integer, copyspan.Span[]> Colours, by the number of the line.
---@field label? string Stands at the end of the first line.
---@field changed? table<integer, [integer, integer]> The bytes of a line that are new, by the number of the line.

local BASE, WORD = 'CopyspanAdd', 'CopyspanAddText'

--- A line cut where its highlights change.
---@param line string
---@param spans copyspan.Span[]
---@param changed? [integer, integer]
---@return copyspan.Chunk[]
function M.chunks(line, spans, changed)
  local borders = { [0] = true, [#line] = true }
  for _, span in ipairs(spans) do
    borders[math.min(span.start, #line)], borders[math.min(span.stop, #line)] = true, true
  end
  for _, border in ipairs(changed or {}) do
    borders[border] = true
  end
  local sorted = vim.fn.sort(vim.tbl_keys(borders), 'n')
  local chunks = {}
  for i = 1, #sorted - 1 do
    local start, stop = sorted[i], sorted[i + 1]
    local groups = { BASE }
    for _, span in ipairs(spans) do
      if span.start <= start and stop <= span.stop then table.insert(groups, span.group) end
    end
    if changed and changed[1] <= start and stop <= changed[2] then table.insert(groups, WORD) end
    table.insert(chunks, { line:sub(start + 1, stop), groups })
  end
  return chunks
end

--- Chunks of one line as one or more lines of the screen, without tabs.
---@param chunks copyspan.Chunk[]
---@param look copyspan.Look
---@return copyspan.Chunk[][]
function M.broken(chunks, look)
  local width = look.width or math.huge
  local lines, column = { {} }, 0
  for _, chunk in ipairs(chunks) do
    local text = ''
    for _, char in ipairs(vim.fn.split(chunk[1], '\\zs')) do
      if char == '\t' then char = (' '):rep(look.tabstop - column % look.tabstop) end
      local size = vim.fn.strdisplaywidth(char)
      if column > 0 and column + size > width then
        table.insert(lines[#lines], { text, chunk[2] })
        table.insert(lines, {})
        text, column = '', 0
      end
      text, column = text .. char, column + size
    end
    table.insert(lines[#lines], { text, chunk[2] })
  end
  if look.width and column < look.width then
    table.insert(lines[#lines], { (' '):rep(look.width - column), { BASE } })
  end
  return lines
end

--- New lines as virtual lines.
---@param lines string[]
---@param look copyspan.Look
---@return copyspan.Chunk[][]
function M.virtual(lines, look)
  local result = {}
  for i, line in ipairs(lines) do
    local chunks = M.chunks(line, look.spans and look.spans[i] or {}, look.changed and look.changed[i])
    if i == 1 and look.label and look.label ~= '' then
      table.insert(chunks, { '  ' .. look.label, { BASE, 'CopyspanNote' } })
    end
    vim.list_extend(result, M.broken(chunks, look))
  end
  return result
end

return M
