import { type RefObject, useEffect, useEffectEvent } from "react";
import { zoomBy } from "./time-zoom.ts";
import type { TimeWindow } from "./waterfall.ts";

/** Of the exponent of the zoom, for each pixel of the wheel. */
const SPEED = 0.003;
/** A turn of the wheel zooms by at most this factor, and by its inverse. */
const MOST = 2;

/**
 * Ctrl and the wheel (⌘ on a Mac, two fingers on a touchpad) zoom the time around the pointer, inside `frame`; elsewhere
 * than over bars around their nearest end. Elements say by `data-times` that their width is the `shown` time, or that of
 * the `whole` trace. The browser does not zoom the page then.
 */
export function useWheelZoom(
	frame: RefObject<HTMLElement | null>,
	whole: TimeWindow,
	zoom: TimeWindow | undefined,
	onZoom: (zoom: TimeWindow | undefined) => void,
): void {
	const onWheel = useEffectEvent((event: WheelEvent) => {
		if (!event.ctrlKey && !event.metaKey) return;
		const over = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-times]") : null;
		const times = over ?? frame.current?.querySelector<HTMLElement>("[data-times=shown]");
		const box = times?.getBoundingClientRect();
		if (!times || !box || box.width === 0) return;
		event.preventDefault();
		const shown = zoom ?? whole;
		const length = shown.endMicros - shown.startMicros;
		const place = Math.max(0, Math.min((event.clientX - box.left) / box.width, 1));
		const at =
			times.dataset["times"] === "shown"
				? place
				: (whole.startMicros + place * (whole.endMicros - whole.startMicros) - shown.startMicros) / length;
		const factor = Math.max(1 / MOST, Math.min(Math.exp(event.deltaY * SPEED), MOST));
		onZoom(zoomBy(whole, shown, factor, Math.max(0, Math.min(at, 1))));
	});
	useEffect(() => {
		const element = frame.current;
		// React's own listeners are passive, and could not keep the browser from zooming.
		element?.addEventListener("wheel", onWheel, { passive: false });
		return () => element?.removeEventListener("wheel", onWheel);
	}, [frame]);
}
