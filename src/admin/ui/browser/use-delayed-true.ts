import { useEffect, useState } from 'preact/hooks';

/** In milliseconds. Shorter states would only flicker. */
const usualDelayMs = 250;

/** True once a condition has been true for this time. */
export function useDelayedTrue(isOn: boolean, delayMs = usualDelayMs): boolean {
  const [isDelayed, setDelayed] = useState(false);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setTimeout(() => setDelayed(true), delayMs);
    return () => {
      clearTimeout(timer);
      setDelayed(false);
    };
  }, [isOn]);
  return isOn && isDelayed;
}
