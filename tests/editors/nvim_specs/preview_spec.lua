-- From the instruction to the last decision, with the real server.
local H = dofile(vim.env.COPYSPAN_SPECS .. '/harness.lua')
local copyspan = require('copyspan')
vim.lsp.enable('copyspan')

local LINES = {}
for i = 0, 3 do
  local first, last = ('def f%d(x):'):format(i), ('    return z + total%d'):format(i)
  vim.list_extend(LINES, { first, '    y = x + 1', '    z = y + 1', last, '' })
end

local function with(changes)
  local lines = vim.deepcopy(LINES)
  for row, line in pairs(changes) do
    lines[row + 1] = line
  end
  return lines
end

local function replaced(i, new) return ('    return z + %s%d'):format(new, i) end

H.case('a range is edited, and nothing else', LINES, function()
  vim.cmd('6,15Copyspan replace total with amount')
  H.await_preview()
  H.equal(H.shown().removed, { 8, 13 })
  H.equal(H.lines(), LINES)
  H.equal(vim.bo.modified, false)
  H.type('gA')
  H.equal(H.lines(), with({ [8] = replaced(1, 'amount'), [13] = replaced(2, 'amount') }))
end)

H.case('the preview streams, and the buffer stays as it is', LINES, function()
  vim.cmd('Copyspan replace total with amount [slow]')
  local seen
  H.await('lines before the answer', function()
    seen = H.shown()
    return #seen.added > 0 and #seen.removed > 0
  end)
  assert(H.session().request, 'the answer has come')
  H.equal(H.lines(), LINES)
  H.equal(vim.bo.modified, false)
  assert(vim.startswith(copyspan.status(), 'copyspan '), copyspan.status())
  assert(vim.iter(seen.labels):any(function(label) return label:find('lines copied') end), vim.inspect(seen))
  H.equal(H.keys(), { '<C-C>' }, 'while the model works')
  H.await_preview()
  H.equal(copyspan.status(), 'copyspan 4 hunks')
  local added = vim.tbl_map(function(i) return ('below %d: return z + amount%d'):format(5 * i + 3, i) end, { 0, 1, 2, 3 })
  H.equal(H.shown().added, added)
  assert(vim.list_contains(H.shown().labels, '3: 1/4') and vim.list_contains(H.shown().labels, '18: 4/4'))
  H.type('gZ')
  H.equal(H.lines(), LINES)
end)

H.case('rejecting leaves no trace', LINES, function()
  local before = vim.fn.undotree().seq_last
  vim.cmd('Copyspan replace total with amount')
  H.await_preview()
  H.type('gZ')
  H.equal({ vim.bo.modified, vim.fn.undotree().seq_last, H.lines() }, { false, before, LINES })
  H.await_said('Nothing was changed')
end)

H.case('hunks are decided one by one, each an undo step', LINES, function()
  vim.cmd('Copyspan replace total with amount')
  H.await_preview()
  H.type('ga')
  H.equal(vim.fn.line('.'), 4, 'the first press goes to the hunk')
  H.equal(H.lines(), LINES)
  H.type('ga')
  H.equal(vim.fn.line('.'), 9, 'on to the next hunk')
  H.type('gz')
  H.type(']c')
  H.equal(vim.fn.line('.'), 19)
  H.type('ga')
  H.equal(vim.fn.line('.'), 14, 'around the end')
  H.type('gz')
  H.await_end()
  H.equal(H.lines(), with({ [3] = replaced(0, 'amount'), [18] = replaced(3, 'amount') }))
  H.await_said('2 of 4 hunks accepted')
  H.type('u')
  H.equal(H.lines(), with({ [3] = replaced(0, 'amount') }))
  H.type('u')
  H.equal(H.lines(), LINES)
end)

H.case('accepting all is one undo step, apart from what was typed before', LINES, function()
  vim.cmd('Copyspan replace total with amount')
  H.await_preview()
  vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'def g(x):' })
  vim.cmd('CopyspanAccept!')
  H.equal(H.lines()[4], replaced(0, 'amount'))
  H.type('u')
  H.equal(H.lines(), with({ [0] = 'def g(x):' }))
end)

H.case('marks on changed lines and cursors elsewhere stay', LINES, function()
  vim.api.nvim_buf_set_mark(0, 'a', 4, 4, {})
  vim.api.nvim_win_set_cursor(0, { 18, 3 })
  vim.cmd('Copyspan replace total with amount')
  H.await_preview()
  H.type('gA')
  H.equal(vim.api.nvim_buf_get_mark(0, 'a'), { 4, 4 })
  H.equal(vim.api.nvim_win_get_cursor(0), { 18, 3 })
end)

H.case('the next candidate takes the place of a preview, and of an accepted edit', LINES, function()
  vim.cmd('Copyspan replace total with amount or sum or price')
  H.await_preview()
  H.type('gl')
  H.equal(#H.shown().removed, 4, 'the preview stays meanwhile')
  H.await_said('answer 2 of')
  H.equal(H.shown().removed, { 8, 13, 18 })
  H.type('gA')
  H.equal(H.lines(), with({ [8] = replaced(1, 'sum'), [13] = replaced(2, 'sum'), [18] = replaced(3, 'sum') }))
  vim.cmd('CopyspanNext')
  H.await_preview()
  H.type('gA')
  H.equal(H.lines(), with({ [13] = replaced(2, 'price'), [18] = replaced(3, 'price') }))
  vim.cmd('CopyspanNext')
  H.await_said('No other candidate')
end)

H.case('a preview survives a search that finds nothing', LINES, function()
  vim.cmd('Copyspan replace total with amount')
  H.await_preview()
  H.type('gl')
  H.await_said('No other candidate')
  H.equal(H.shown().removed, { 3, 8, 13, 18 })
  H.type('gA')
  H.equal(H.lines()[4], replaced(0, 'amount'))
end)

H.case('no change is said in words', LINES, function()
  vim.cmd('Copyspan leave everything')
  H.await_said('would change nothing')
  H.await_end()
end)

H.case('an instruction is asked for, and kept', LINES, function()
  local prompts, input = {}, vim.ui.input
  vim.ui.input = function(options, use)
    table.insert(prompts, options.prompt)
    use('replace total with amount')
  end
  vim.cmd('1,5Copyspan')
  vim.ui.input = input
  H.await_preview()
  H.equal(prompts, { 'AI edit of lines 1-5: ' })
  H.equal(vim.fn.histget('@', -1), 'replace total with amount')
  H.equal(vim.fn.getcompletion('Copyspan replace total w', 'cmdline')[1], 'with amount')
  H.equal(H.shown().removed, { 3 })
  H.type('ga')
  H.type('ga')
end)

H.case('an empty instruction does nothing', LINES, function()
  local input = vim.ui.input
  vim.ui.input = function(_, use) use(nil) end
  vim.cmd('Copyspan')
  vim.ui.input = input
  H.equal(H.session(), nil)
end)

H.case('the code action asks for an instruction', LINES, function()
  local input = vim.ui.input
  vim.ui.input = function(_, use) use('replace total with amount') end
  H.await('the server', function() return require('copyspan.client').find(0) ~= nil end)
  vim.lsp.buf.code_action({
    apply = true,
    range = { start = { 8, 0 }, ['end'] = { 9, 5 } },
    filter = function(action) return action.title == 'AI edit...' end,
  })
  H.await_preview()
  vim.ui.input = input
  H.equal(H.shown().removed, { 8 })
  H.type('gZ')
end)

H.case('the program is shown, with its cost', LINES, function()
  vim.cmd('Copyspan replace total with amount')
  H.await_preview()
  H.type('gy')
  local shown = table.concat(H.lines(), '\n')
  assert(shown:find('decode steps instead of') and shown:find('<copy lines="1-3"/>', 1, true), shown)
  H.type('q')
  H.equal(H.lines(), LINES)
  H.type('gZ')
end)

H.case("a person's own keys come back", LINES, function()
  vim.keymap.set('n', ']c', 'j', { buffer = true })
  vim.cmd('Copyspan replace total with amount')
  H.await_preview()
  H.equal(#H.keys(), 9)
  H.type('gZ')
  H.equal(vim.fn.maparg(']c', 'n'), 'j')
end)

H.case('keys are as a person sets them', LINES, function()
  vim.g.copyspan = vim.tbl_extend('force', vim.g.copyspan, { keys = { accept = '<Space>', program = false } })
  vim.cmd('Copyspan replace total with amount')
  H.await_preview()
  H.equal(vim.list_contains(H.keys(), ' ') and not vim.list_contains(H.keys(), 'gy'), true)
  H.type('<Space><Space>')
  H.equal(H.lines()[4], replaced(0, 'amount'))
  H.type('gZ')
end)

H.finish()
