-- The buffer goes on while the model works, and messages cross on the way.
local H = dofile(vim.env.COPYSPAN_SPECS .. '/harness.lua')
local F = dofile(vim.env.COPYSPAN_SPECS .. '/fake_server.lua')
F.use()

local LINES = { 'a', 'b', 'c', 'd' }
local HUNK = F.hunk({ 1, 0 }, { 3, 0 }, 'b\nc\n', 'B\nC\n')
local CHANGED = 'The lines were changed while they were being edited'

local function insert(row, ...) vim.api.nvim_buf_set_lines(0, row, row, true, { ... }) end
local function set(row, text) vim.api.nvim_buf_set_lines(0, row, row + 1, true, { text }) end

local function ask()
  local count = #F.requests
  vim.cmd('Copyspan do it')
  H.await('the request', function() return #F.requests > count end)
end

--- The answer for the text as it was meets a text that `change` has made.
local function late(name, change, expected)
  H.case(name, LINES, function()
    ask()
    change()
    local changed = H.lines()
    F.answer({ HUNK })
    if not expected then
      H.await_said(CHANGED)
      return H.equal(H.lines(), changed)
    end
    H.await_preview()
    H.type('gA')
    H.equal(H.lines(), expected)
  end)
end

late('a line above', function() insert(0, 'x') end, { 'x', 'a', 'B', 'C', 'd' })
late('a line directly above', function() insert(1, 'x') end, { 'a', 'x', 'B', 'C', 'd' })
late('a line directly below', function() insert(3, 'x') end, { 'a', 'B', 'C', 'x', 'd' })
late('lines away above', function() vim.api.nvim_buf_set_lines(0, 0, 1, true, {}) end, { 'B', 'C', 'd' })
late('another text beside', function() set(0, 'A') set(3, 'D') end, { 'A', 'B', 'C', 'D' })
late('a line between', function() insert(2, 'x') end)
late('another text inside', function() set(2, 'x') end)
late('a line inside gone', function() vim.api.nvim_buf_set_lines(0, 2, 3, true, {}) end)
late('everything new, and alike', function() vim.api.nvim_buf_set_lines(0, 0, -1, true, LINES) end)

H.case('an answer about a text that was never there', LINES, function()
  ask()
  F.answer({ F.hunk({ 1, 0 }, { 2, 0 }, 'something else\n', 'B\n') })
  H.await_said(CHANGED)
end)

H.case('an answer about lines beyond the end', LINES, function()
  ask()
  F.answer({ F.hunk({ 40, 0 }, { 40, 0 }, '', 'B\n') })
  H.await_said(CHANGED)
end)

H.case('the answer of an edit that another one replaced is not shown', LINES, function()
  ask()
  local first = F.last()
  ask()
  first.reply(nil, F.result({ HUNK }))
  H.equal(H.session().is_reviewing, false)
  F.answer({ F.hunk({ 0, 0 }, { 1, 0 }, 'a\n', 'A\n') })
  H.await_preview()
  H.type('gA')
  H.equal(H.lines(), { 'A', 'b', 'c', 'd' })
end)

H.case('what the server tells after a cancel is dropped', LINES, function()
  ask()
  F.progress('partialResultToken', { items = { { kind = 'hunk', hunk = HUNK } } })
  H.type('<C-c>')
  H.equal(#F.cancelled > 0, true)
  F.progress('partialResultToken', { items = { { kind = 'hunk', hunk = HUNK } } })
  F.progress('workDoneToken', { kind = 'end' })
  F.answer({ HUNK })
  H.equal(H.session(), nil)
end)

H.case('somebody else cancels', LINES, function()
  ask()
  F.progress('workDoneToken', { kind = 'begin', title = 'Editing' })
  F.progress('workDoneToken', { kind = 'end', message = 'Nothing was changed' })
  H.await_said('The edit was cancelled')
end)

H.case('streamed hunks follow the text, and a new answer takes their place', LINES, function()
  ask()
  local version = F.last().params.textDocument.version
  local scope = { range = F.hunk({ 0, 0 }, { 4, 0 }).range, title = 'all' }
  local answer = { kind = 'answer', textDocument = { version = version }, scope = scope, origin = 'greedy' }
  insert(0, 'x')
  F.progress('partialResultToken', { items = { answer, { kind = 'copied', startLine = 0, stopLine = 1 } } })
  F.progress('partialResultToken', { items = { { kind = 'text', line = 1, text = 'B' } } })
  H.equal(H.shown().added, { 'below 2: B' }, 'below the line that it takes the place of')
  F.progress('partialResultToken', { items = { { kind = 'text', line = 1, text = '\n' } } })
  F.progress('partialResultToken', { items = { { kind = 'copied', startLine = 2, stopLine = 3 } } })
  H.equal(H.shown().removed, { 2 })
  F.progress('partialResultToken', { items = { { kind = 'hunk', hunk = F.hunk({ 1, 0 }, { 2, 0 }, 'b\n', 'B\n') } } })
  H.equal({ H.shown().removed, H.shown().added }, { { 2 }, { 'below 2: B' } })
  F.progress('partialResultToken', { items = { answer } })
  H.equal({ H.shown().removed, H.shown().added }, { {}, {} })
  H.type('<C-c>')
  H.equal(H.lines(), { 'x', 'a', 'b', 'c', 'd' })
end)

local function reviewed(name, hunks, steps)
  H.case(name, LINES, function()
    ask()
    F.answer(hunks)
    H.await_preview()
    steps()
  end)
end

local BOTH = { F.hunk({ 1, 0 }, { 2, 0 }, 'b\n', 'B\n'), F.hunk({ 3, 0 }, { 4, 0 }, 'd\n', 'D\n') }

reviewed('typing outside keeps a preview right', BOTH, function()
  H.type('ggOx<Esc>')
  H.type('GoY<Esc>')
  H.type(':4<CR>cwcc<Esc>')
  H.equal(H.shown().removed, { 2, 4 })
  H.type('gA')
  H.equal(H.lines(), { 'x', 'a', 'B', 'cc', 'D', 'Y' })
end)

reviewed('typing inside a hunk ends it, and says so', BOTH, function()
  H.type(':2<CR>Aoops<Esc>')
  H.await_said('The text of hunk 1 was changed by hand')
  H.equal(H.shown().removed, { 3 })
  H.type('gA')
  H.equal(H.lines(), { 'a', 'boops', 'c', 'D' })
end)

reviewed('a hunk that is changed and accepted at once is not written', BOTH, function()
  vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'mine' })
  vim.cmd('CopyspanAccept!')
  H.equal(H.lines(), { 'a', 'mine', 'c', 'D' })
end)

reviewed('deleting the lines of the last hunk ends the preview', { BOTH[1] }, function()
  H.type(':2<CR>dd')
  H.await_end()
  H.equal(H.lines(), { 'a', 'c', 'd' })
end)

reviewed('a place between lines that grow apart is lost', { F.hunk({ 1, 0 }, { 1, 0 }, '', 'new\n') }, function()
  H.type('ggoy<Esc>')
  H.await_said('was changed by hand')
end)

reviewed('undo of an accepted hunk leaves the others', BOTH, function()
  H.type(':2<CR>ga')
  H.type('u')
  H.equal(H.shown().removed, { 3 })
  H.type('gA')
  H.equal(H.lines(), { 'a', 'b', 'c', 'D' })
end)

H.finish()
