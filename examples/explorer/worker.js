// SPDX-License-Identifier: MIT
// Before the engine: answers the page's questions in the worker.
Module.onRuntimeInitialized = () => {
  const text = 'string';
  const explore =
      Module.cwrap('explore', text, [text, text, text, text, text, text, text, text, 'number']);
  self.onmessage = ({data}) => {
    const answer = explore(
        data.name, data.text, data.machine, data.beside, data.padding, data.kernel, data.block, data.arguments,
        data.plan);
    self.postMessage({number: data.number, text: answer});
  };
  self.postMessage({machines: JSON.parse(Module.ccall('machines', text, [], []))});
};
