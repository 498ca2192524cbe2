/** How a person asks copyspan for an edit in a window of VS Code. */

export async function ask(window, name, instruction, seen = async () => undefined) {
  await window.command("Copyspan: Edit...");
  await window.inputTitle.filter({ hasText: `Edit ${name}` }).waitFor();
  await window.type(instruction);
  await seen();
  await window.key("Enter");
}

export const status = (window) => window.page.locator(".statusbar-item[id*=copyspan]");

/** Run what a person does; where it goes wrong, say what they saw. */
export async function attempt(window, steps) {
  try {
    await status(window).waitFor();
    await window.command("View: Close Primary Side Bar");
    await window.focusEditor();
    for (const [name, step] of Object.entries(steps)) {
      console.log(`test: ${name}`);
      await step(window);
    }
  } catch (error) {
    console.log(`test: ${error.stack}\nThere is:\n${await window.describe()}`);
    process.exitCode = 1;
  } finally {
    await window.close();
  }
}
