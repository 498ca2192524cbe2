" What a person without our plugin writes into the vimrc; the rest is typed.
set nocompatible nomore noswapfile nofixendofline shortmess+=aI
call ch_logfile($COPYSPAN_LOGS .. '/vim-channels.log', 'w')

let g:ale_linters = {'python': ['copyspan']}
packadd! ale
filetype plugin on
call ale#linter#Define('python', {
\   'name': 'copyspan',
\   'lsp': 'stdio',
\   'language': 'python',
\   'executable': json_decode($COPYSPAN_SERVER)[0],
\   'command': join(map(json_decode($COPYSPAN_SERVER), 'shellescape(v:val)')),
\   'project_root': {buffer -> expand('#' .. buffer .. ':p:h')},
\})
