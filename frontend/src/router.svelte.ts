import { find } from "./address";
import { routes } from "./routes";

/** The page's address as state; links stay plain `<a href>` and work without the router as well. */
class Router {
  path = $state(location.pathname);
  /** The page that is shown; null for an address that is none. */
  readonly found = $derived(find(routes, this.path));
  /** Raised by every change of page that the reader made, so that the focus can follow it. */
  visits = $state(0);

  start(): () => void {
    const onClick = (event: MouseEvent) => this.#follow(event);
    const onPopState = () => this.#show();
    document.addEventListener("click", onClick);
    window.addEventListener("popstate", onPopState);
    return () => {
      document.removeEventListener("click", onClick);
      window.removeEventListener("popstate", onPopState);
    };
  }

  /** A parameter of the page's address. A page is created again for each address, so it never changes for a page. */
  param(name: string): string {
    return this.found?.params[name] ?? "";
  }

  go(path: string): void {
    history.pushState(null, "", path);
    this.#show();
    scrollTo(0, 0);
  }

  #show(): void {
    this.path = location.pathname;
    this.visits += 1;
  }

  #follow(event: MouseEvent): void {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target || link.origin !== location.origin || !link.hasAttribute("data-route")) return;
    event.preventDefault();
    if (link.pathname !== location.pathname) this.go(link.pathname + link.search + link.hash);
  }
}

export const router = new Router();
