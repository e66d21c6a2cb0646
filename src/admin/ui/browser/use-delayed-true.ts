import { useEffect, useState } from 'preact/hooks';

/** In milliseconds. Shorter states would only flicker. */
const after = 250;

/** True once a condition has been true for this time. */
export function useDelayedTrue(isOn: boolean): boolean {
  const [lasts, setLasts] = useState(false);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setTimeout(() => setLasts(true), after);
    return () => {
      clearTimeout(timer);
      setLasts(false);
    };
  }, [isOn]);
  return isOn && lasts;
}
