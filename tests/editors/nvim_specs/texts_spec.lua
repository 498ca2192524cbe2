-- Hunks at the edges of documents, and all line ends. What the server says is exact; what the buffer becomes has to be.
local H = dofile(vim.env.COPYSPAN_SPECS .. '/harness.lua')
local F = dofile(vim.env.COPYSPAN_SPECS .. '/fake_server.lua')
F.use()

local function ask(instruction)
  vim.cmd('Copyspan ' .. (instruction or 'do it'))
  local count = #F.requests
  H.await('the request', function() return #F.requests >= math.max(count, 1) and H.session().request ~= nil end)
end

--- Show a hunk, accept it, look at the buffer, undo it, look again.
local function check(name, lines, hunk, expected, options)
  H.case(name, lines, function()
    ask()
    F.answer({ hunk })
    H.await_preview()
    H.equal(H.lines(), lines, 'before')
    H.type('gA')
    H.equal(H.lines(), expected, 'after')
    H.type('u')
    H.equal(H.lines(), lines, 'undone')
  end, options)
end

check('one line', { 'a', 'b', 'c' }, F.hunk({ 1, 0 }, { 2, 0 }, 'b\n', 'B\n'), { 'a', 'B', 'c' })
check('insertion above the first line', { 'a' }, F.hunk({ 0, 0 }, { 0, 0 }, '', 'x\ny\n'), { 'x', 'y', 'a' })
check('insertion in the middle', { 'a', 'b' }, F.hunk({ 1, 0 }, { 1, 0 }, '', 'x\n\n'), { 'a', 'x', '', 'b' })
check('insertion at the end', { 'a' }, F.hunk({ 1, 0 }, { 1, 0 }, '', 'b\n'), { 'a', 'b' })
check('deletion', { 'a', 'b', 'c' }, F.hunk({ 1, 0 }, { 2, 0 }, 'b\n', ''), { 'a', 'c' })
check('deletion of the last line', { 'a', 'b' }, F.hunk({ 1, 0 }, { 2, 0 }, 'b\n', ''), { 'a' })
check('deletion of everything', { 'a', 'b' }, F.hunk({ 0, 0 }, { 2, 0 }, 'a\nb\n', ''), { '' })
check('fewer lines', { 'a', 'b', 'c', 'd' }, F.hunk({ 0, 0 }, { 3, 0 }, 'a\nb\nc\n', 'x\n'), { 'x', 'd' })
check('more lines', { 'a', 'b' }, F.hunk({ 0, 0 }, { 1, 0 }, 'a\n', 'x\ny\nz\n'), { 'x', 'y', 'z', 'b' })
local astral = F.hunk({ 0, 0 }, { 1, 0 }, '😀é = total\n', '😀è = ü😀\n')
check('characters beyond ASCII', { '😀é = total' }, astral, { '😀è = ü😀' })
check('a form feed in a line', { 'a\f\vb' }, F.hunk({ 0, 0 }, { 1, 0 }, 'a\f\vb\n', 'c\f\n'), { 'c\f' })

check('an empty file', { '' }, F.hunk({ 0, 0 }, { 0, 0 }, '', 'a\n'), { 'a' })

local open_end = { endofline = false, fixendofline = false }
check('the last line without an end', { 'a', 'b' }, F.hunk({ 1, 0 }, { 1, 1 }, 'b', 'c'), { 'a', 'c' }, open_end)
check('insertion below it', { 'a', 'b' }, F.hunk({ 1, 1 }, { 1, 1 }, '', '\nc\nd'), { 'a', 'b', 'c', 'd' }, open_end)
check('deletion of it', { 'a', 'b' }, F.hunk({ 0, 0 }, { 1, 1 }, 'a\nb', 'a'), { 'a' }, open_end)

local dos, mac = { fileformat = 'dos' }, { fileformat = 'mac' }
check('CRLF', { 'a', 'b' }, F.hunk({ 1, 0 }, { 2, 0 }, 'b\r\n', 'c\r\nd\r\n'), { 'a', 'c', 'd' }, dos)
check('CR', { 'a', 'b' }, F.hunk({ 1, 0 }, { 2, 0 }, 'b\r', 'c\rd\r'), { 'a', 'c', 'd' }, mac)
check('some CRLF among LF', { 'a\r', 'b' }, F.hunk({ 0, 0 }, { 1, 0 }, 'a\r\n', 'x\r\ny\r\n'), { 'x\r', 'y\r', 'b' })

H.case('what is shown: old lines, new lines below them, insertions where they go', { 'a', 'b', 'c' }, function()
  ask()
  F.answer({
    F.hunk({ 0, 0 }, { 0, 0 }, '', 'first\n'),
    F.hunk({ 1, 0 }, { 2, 0 }, 'b\n', 'B\n\tBB\n'),
    F.hunk({ 3, 0 }, { 3, 0 }, '', 'last\n'),
  })
  H.await_preview()
  local shown = H.shown()
  H.equal(shown.removed, { 1 })
  H.equal(shown.added, { 'above 0: first  1/3', 'below 1: B', 'below 1: BB', 'below 2: last  3/3' })
  H.equal(shown.labels[2], '1: 2/3')
  H.type('G')
  H.type('ga')
  H.equal(H.lines(), { 'a', 'b', 'c', 'last' })
  H.type('gg')
  H.type('ga')
  H.equal(H.lines(), { 'first', 'a', 'b', 'c', 'last' })
  H.type('ga')
  H.equal(H.lines(), { 'first', 'a', 'B', '\tBB', 'c', 'last' })
end)

H.case('new lines have the colours of a buffer with tree-sitter', { 'local a = 1' }, function()
  vim.treesitter.start(0, 'lua')
  ask()
  F.answer({ F.hunk({ 0, 0 }, { 1, 0 }, 'local a = 1\n', 'return "b"\n') })
  H.await_preview()
  local groups = {}
  for _, mark in ipairs(H.marks()) do
    for _, chunk in ipairs(mark[4].virt_lines and mark[4].virt_lines[1] or {}) do
      groups[chunk[1]] = chunk[2]
    end
  end
  H.equal(groups['return'], { 'CopyspanAdd', '@keyword.return.lua' })
  H.type('gZ')
end)

H.case('a hunk that changes no line is none', { 'a' }, function()
  ask()
  F.answer({ F.hunk({ 0, 0 }, { 1, 0 }, 'a\n', 'a') })
  H.await_said('lines changed')
end)

H.finish()
