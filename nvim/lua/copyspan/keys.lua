--- The keys of a preview: in its buffer alone, as long as it is there. What they hid comes back.
local config = require('copyspan.config')

local M = {}

---@type table<integer, { key: string, hidden?: table }[]>
local set = {}

---@param bufnr integer
---@param key string
---@return table? mapping The buffer's own mapping of a key.
local function own_mapping(bufnr, key)
  local mapping = vim.api.nvim_buf_call(bufnr, function() return vim.fn.maparg(key, 'n', false, true) end)
  return mapping.buffer == 1 and mapping or nil
end

--- Set the keys of some actions, or of all, in the place of those that are set.
---@param bufnr integer
---@param actions? string[]
function M.set(bufnr, actions)
  M.clear(bufnr)
  set[bufnr] = {}
  for action, key in pairs(config.keys()) do
    if not actions or vim.tbl_contains(actions, action) then
      table.insert(set[bufnr], { key = key, hidden = own_mapping(bufnr, key) })
      local options = { buffer = bufnr, nowait = true, remap = true, desc = 'copyspan: ' .. action:gsub('-', ' ') }
      vim.keymap.set('n', key, ('<Plug>(copyspan-%s)'):format(action), options)
    end
  end
end

---@param bufnr integer
function M.clear(bufnr)
  for _, entry in ipairs(set[bufnr] or {}) do
    pcall(vim.keymap.del, 'n', entry.key, { buffer = bufnr }) -- somebody else may have taken it away
    if entry.hidden then
      vim.api.nvim_buf_call(bufnr, function() vim.fn.mapset('n', false, entry.hidden) end)
    end
  end
  set[bufnr] = nil
end

--- How to stop the model, for a note.
---@return string
function M.cancel_hint()
  local key = config.keys().cancel
  return key and (' (%s cancels)'):format(key) or ''
end

--- What the keys do, in one line.
---@return string
function M.hint()
  local keys, words = config.keys(), {}
  local actions = {
    { 'accept', 'accept' },
    { 'reject', 'reject' },
    { 'accept-all', 'accept all' },
    { 'reject-all', 'reject all' },
    { 'next-hunk', 'next' },
    { 'next', 'another answer' },
  }
  for _, action in ipairs(actions) do
    local key = keys[action[1]]
    if key then table.insert(words, ('%s %s'):format(key, action[2])) end
  end
  return table.concat(words, '  ')
end

return M
