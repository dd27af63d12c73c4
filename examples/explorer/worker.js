// SPDX-License-Identifier: MIT
// Before the engine: answers the page's questions in the worker.
Module.onRuntimeInitialized = () => {
  const explore = Module.cwrap(
      'explore', 'string', ['string', 'string', 'string', 'string', 'number', 'number']);
  self.onmessage = ({data}) => {
    const text = explore(data.name, data.text, data.machine, data.padding, data.access, data.plan);
    self.postMessage({number: data.number, text});
  };
  self.postMessage({machines: JSON.parse(Module.ccall('machines', 'string', [], []))});
};
