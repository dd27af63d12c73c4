-- Neovim 0.7 and later: copy this into your init.lua. Diagnostics, hovers (K) and fixes (vim.lsp.buf.code_action()) work as those
-- of other servers; hints beside accesses need 0.10: vim.lsp.inlay_hint.enable().
vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  pattern = { '*.cu', '*.cuh', '*.hip', '*.ptx', '*.kernel' },
  callback = function(event)
    local client = vim.lsp.start_client({
      name = 'bankmodel',
      cmd = { 'bankmodel', '--lsp' },  -- and options: '-I', 'include'
      root_dir = vim.fn.getcwd(),
    })
    vim.lsp.buf_attach_client(event.buf, client)
  end,
})
