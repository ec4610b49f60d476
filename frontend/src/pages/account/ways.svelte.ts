import { Problem } from "@racecard/client";
import * as auth from "../../api/auth";
import { Action } from "../../components/action.svelte";
import { Loaded } from "../../components/loaded.svelte";

/** How the reader signs in, and the actions that change it. One that is sensitive may first ask who the reader is. */
export class Ways extends Loaded<Found> {
  readonly action = new Action();
  /** What follows once the reader has confirmed who they are. */
  waiting = $state.raw<() => void>();

  constructor() {
    super(find);
  }

  /** Afterwards all is shown as it is then. */
  act(at: string, what: () => Promise<unknown>): Promise<void> {
    return this.action.do(async () => {
      try {
        await what();
      } catch (fault) {
        if (!(fault instanceof Problem) || fault.code !== auth.RECENT) throw fault;
        this.waiting = () => void this.act(at, what);
        return;
      }
      await this.load();
    }, at);
  }

  confirmed(): void {
    const next = this.waiting;
    this.waiting = undefined;
    next?.();
  }
}

export interface Found {
  emails: readonly auth.EmailAddress[];
  authenticators: readonly auth.Authenticator[];
  sessions: readonly auth.BrowserSession[];
  providers: readonly auth.Provider[];
  linked: readonly auth.LinkedAccount[];
}

async function find(): Promise<Found> {
  const [emails, authenticators, sessions, providers] = await Promise.all([
    auth.emails(),
    auth.authenticators(),
    auth.sessions(),
    auth.providers(),
  ]);
  return { emails, authenticators, sessions, providers, linked: providers.length > 0 ? await auth.linked() : [] };
}

/** The moment of a number of seconds since 1970, as the rest of the API writes it. */
export const moment = (seconds: number): string => new Date(seconds * 1000).toISOString();

const BROWSERS = [["Edg/", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]] as const;
const SYSTEMS = [["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"], ["Mac OS", "macOS"], ["Linux", "Linux"]] as const;

/** The browser and system of a User-Agent header in two words, such as `Firefox, Linux`. */
export function device(agent: string): string {
  const named = [BROWSERS, SYSTEMS].map((known) => known.find(([sign]) => agent.includes(sign))?.[1]);
  return named.filter(Boolean).join(", ") || agent.slice(0, 40);
}
