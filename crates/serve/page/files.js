// Files that are dropped or chosen, with their paths below the dropped folder.

/** Reads all files below an entry of a drop. */
async function below(entry, path, files) {
  const name = path ? `${path}/${entry.name}` : entry.name;
  if (entry.isFile) {
    const file = await new Promise((done, fail) => entry.file(done, fail));
    files.push({ name, bytes: await file.arrayBuffer() });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const entries = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (entries.length === 0) return;
    for (const inner of entries) await below(inner, name, files);
  }
}

/** The files of a drop. */
export async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const files = [];
  if (entries.length === 0) return chosen(transfer.files);
  for (const entry of entries) await below(entry, "", files);
  return files;
}

/** Files that were chosen. */
export function chosen(list) {
  return Promise.all([...list].map(async (file) => ({ name: file.webkitRelativePath || file.name, bytes: await file.arrayBuffer() })));
}

/** Offers a file to be saved. */
export function save(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
