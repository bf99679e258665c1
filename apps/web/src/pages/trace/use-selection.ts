import { useEffect, useEffectEvent } from "react";
import { useFollowed } from "../../lib/use-followed.ts";

/** Browsers refuse more than a hundred changes of the address in some seconds; a held arrow key makes thirty a second. */
const WRITE_AFTER_MS = 120;

/**
 * What is selected, such as a span id: changes at once here and a moment later in the address. Other changes of the address (back,
 * forward, a link) take precedence.
 */
export function useSelection(
	inAddress: string | undefined,
	write: (selected: string) => void,
): [string | undefined, (selected: string) => void] {
	const { value: selected, change, noteWritten } = useFollowed(inAddress);
	const flush = useEffectEvent((next: string) => {
		noteWritten(next);
		write(next);
	});
	useEffect(() => {
		if (selected === undefined || selected === inAddress) return;
		const timer = setTimeout(() => flush(selected), WRITE_AFTER_MS);
		return () => clearTimeout(timer);
	}, [selected, inAddress]);
	return [selected, change];
}
