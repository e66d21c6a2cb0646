import { describe, expect, it } from 'vitest';
import { keyOf } from './shortcuts.ts';

describe('the key of a shortcut', () => {
  it.each([
    ['US layout', 'j', 'KeyJ', false, 'j'],
    ['US layout with Shift', 'Y', 'KeyY', true, 'Y'],
    ['US layout with Caps Lock', 'Y', 'KeyY', false, 'y'],
    ['US layout with Caps Lock and Shift', 'y', 'KeyY', true, 'Y'],
    ['Dvorak layout', 'j', 'KeyC', false, 'j'],
    ['French layout', 'é', 'Digit2', false, 'é'],
    ['German layout', 'ü', 'BracketLeft', false, 'ü'],
    ['Russian layout', 'о', 'KeyJ', false, 'j'],
    ['Russian layout with Shift', 'Н', 'KeyY', true, 'Y'],
    ['Russian layout', 'х', 'BracketLeft', false, '['],
    ['Greek layout', 'ξ', 'KeyJ', false, 'j'],
    ['any layout', 'Enter', 'Enter', false, 'Enter'],
    ['any layout', '?', 'Slash', true, '?'],
  ])('on a %s: %s at %s is %s', (layout, key, code, shiftKey, expected) => {
    const getModifierState = (name: string): boolean => name === 'CapsLock' && layout.includes('Caps Lock');
    expect(keyOf({ key, code, shiftKey, getModifierState })).toBe(expected);
  });
});
