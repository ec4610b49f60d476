import { mount } from "svelte";
import Toast from "./Toast.svelte";

/** Milliseconds for which a message is shown. */
const SHOWN = 5000;

class Messages {
  all = $state.raw<readonly { id: number; text: string }[]>([]);
  #id = 0;
  #isMounted = false;

  show(text: string): void {
    if (!this.#isMounted) mount(Toast, { target: document.body });
    this.#isMounted = true;
    const id = ++this.#id;
    this.all = [...this.all, { id, text }];
    setTimeout(() => (this.all = this.all.filter((one) => one.id !== id)), SHOWN);
  }
}

export const messages = new Messages();

/** Show a message at the edge of the page. */
export const toast = (text: string): void => messages.show(text);
