import uPlot from "uplot";

/** By distance of the ticks in seconds: their labels, and a second line where the year, day or hour changes. */
export const TIME_FORMATS: (string | number | null)[][] = [
	[31_536_000, "{YYYY}", null, null, null, null, null, null, 1],
	[2_419_200, "{MMM}", "\n{YYYY}", null, null, null, null, null, 1],
	[86_400, "{MMM} {D}", "\n{YYYY}", null, null, null, null, null, 1],
	[3600, "{HH}:{mm}", "\n{MMM} {D} {YYYY}", null, "\n{MMM} {D}", null, null, null, 1],
	[60, "{HH}:{mm}", "\n{MMM} {D} {YYYY}", null, "\n{MMM} {D}", null, null, null, 1],
	[1, ":{ss}", "\n{MMM} {D} {HH}:{mm}", null, "\n{MMM} {D} {HH}:{mm}", null, "\n{HH}:{mm}", null, 1],
];

export const CHART_FONT = "11px system-ui, sans-serif";

/** A moment as the clocks of a zone show it, for the axis of a chart. */
export function dateIn(zone: string): (seconds: number) => Date {
	const isOwn = zone === new Intl.DateTimeFormat().resolvedOptions().timeZone;
	return (seconds) => {
		const date = new Date(seconds * 1000);
		return isOwn ? date : uPlot.tzDate(date, zone === "UTC" ? "Etc/UTC" : zone);
	};
}
