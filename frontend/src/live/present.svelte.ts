/** The time of this machine's clock in milliseconds, read every `every` milliseconds while the component is shown. */
export class Present {
  now = $state(Date.now());

  constructor(every: number) {
    $effect(() => {
      const timer = setInterval(() => (this.now = Date.now()), every);
      return () => clearInterval(timer);
    });
  }
}
