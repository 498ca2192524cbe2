--- The instructions that were given, for the next time: by <Up> and <Tab> where one is asked for, and by <Tab> on the
--- command line.
local M = {}

local MOST = 100
local instructions = {} ---@type string[] The newest first.

---@param instruction string
function M.add(instruction)
  instructions = vim.tbl_filter(function(other) return other ~= instruction end, instructions)
  table.insert(instructions, 1, instruction)
  instructions[MOST + 1] = nil
  vim.fn.histadd('@', instruction)
end

---@param typed string
---@param kept integer The number of bytes that stand before what is completed.
---@return string[]
local function that_begin_with(typed, kept)
  local found = {}
  for _, instruction in ipairs(instructions) do
    if vim.startswith(instruction, typed) then table.insert(found, instruction:sub(kept + 1)) end
  end
  return found
end

--- Implements `complete` of the command :Copyspan, the newest first.
---@param lead string The word that is completed.
---@param line string The whole command line.
---@return string[]
function M.complete_command(lead, line)
  local typed = line:match('^.-Copyspan%s+(.*)$') or ''
  return that_begin_with(typed, #typed - #lead)
end

--- Implements "customlist" of |input()|.
---@param lead string
---@return string[]
function M.complete(lead) return that_begin_with(lead, 0) end

--- Ask a person for an instruction; `use` is called with one that is not empty, or not at all.
---@param prompt string
---@param use fun(instruction: string)
function M.ask(prompt, use)
  local completion = "customlist,v:lua.require'copyspan.history'.complete"
  vim.ui.input({ prompt = prompt, completion = completion }, function(answer)
    local instruction = vim.trim(answer or '')
    if instruction ~= '' then use(instruction) end
  end)
end

return M
