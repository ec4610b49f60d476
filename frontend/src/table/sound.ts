import { appearance } from "./appearance.svelte";

const PITCH: Readonly<Record<string, number>> = { draw: 320, turn: 320, move: 440, play: 440, finished: 660 };
const ORDINARY = 380;

/** How an event sounds, by its type. */
export const chime = (type: string): void => tap(PITCH[type] ?? ORDINARY);

let audio: AudioContext | undefined;

/** A short tap, made and not loaded; nothing where sound is off or the browser forbids it. */
function tap(pitch: number): void {
  if (!appearance.sound) return;
  try {
    audio ??= new AudioContext();
    const [tone, volume, now] = [audio.createOscillator(), audio.createGain(), audio.currentTime];
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.08, now);
    volume.gain.exponentialRampToValueAtTime(0.001, now + 0.08);
    tone.connect(volume).connect(audio.destination);
    tone.start(now);
    tone.stop(now + 0.09);
  } catch {
    // Sound is an ornament.
  }
}

/** A short vibration, on devices that have it, if the reader wants it. */
export const buzz = (): void => {
  if (appearance.vibration) navigator.vibrate?.(40);
};
