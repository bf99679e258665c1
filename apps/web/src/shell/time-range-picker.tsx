import { useMatches, useNavigate, useSearch } from "@tanstack/react-router";
import Clock from "lucide-react/icons/clock";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { usePageRange } from "../lib/page-range.ts";
import { NAMED_RANGES } from "../lib/range-names.ts";
import { formatExactTime, useTimeZone } from "../lib/time.ts";
import {
	chartRange,
	PRESETS,
	parseTimeRange,
	rangeLabel,
	resolveRange,
	type TimeRangeSearch,
} from "../lib/time-range.ts";
import { texts } from "../texts/en.ts";
import { Button } from "../ui/button.tsx";
import { buttonClass } from "../ui/button-class.ts";
import { classNames } from "../ui/class-names.ts";
import { Field, Input } from "../ui/input.tsx";
import { Popover } from "../ui/popover.tsx";

/** Ranges of pages, by their routes, which show them where the address has none; others show all time. */
const STANDARD_RANGES: Readonly<Record<string, string | undefined>> = {
	"/p/$project/overview": "7d",
	"/p/$project/explore": "7d",
	"/explore": "7d",
	"/p/$project/users": "30d",
	"/p/$project/users/$user": "30d",
};

/** The time range of the project's pages; it is in the address and stays when the tab changes. */
export function TimeRangePicker(): ReactNode {
	const inAddress = parseTimeRange(useSearch({ strict: false }));
	const ofPage = usePageRange();
	const ofRoute = useMatches({ select: (matches) => STANDARD_RANGES[matches.at(-1)?.routeId ?? ""] });
	const standard = ofPage ?? ofRoute;
	const search = standard === undefined ? inAddress : chartRange(inAddress, standard);
	const navigate = useNavigate();
	const [open, setOpen] = useState(false);
	const choose = (range: TimeRangeSearch) => {
		setOpen(false);
		void navigate({
			to: ".",
			search: (before: Record<string, unknown>) => {
				const { from: _from, to: _to, ...rest } = before;
				return { ...rest, ...range };
			},
		});
	};
	return (
		<Popover
			label={texts.time.title}
			open={open}
			onOpenChange={setOpen}
			align="end"
			className="w-80"
			trigger={
				<button type="button" className={buttonClass("quiet")}>
					<Clock size={14} aria-hidden className="text-muted" />
					<span className="sr-only">{texts.time.title}</span>
					{rangeLabel(search)}
				</button>
			}
		>
			<div className="grid grid-cols-4 gap-1">
				{[...PRESETS, "all"].map((preset) => {
					const chosen = !search.to && (search.from ?? "all") === preset;
					return (
						<button
							key={preset}
							type="button"
							aria-pressed={chosen}
							aria-label={rangeLabel({ from: preset })}
							onClick={() => choose({ from: preset })}
							className={classNames("h-7 rounded hover:bg-hover aria-pressed:bg-accent-soft aria-pressed:text-accent")}
						>
							{preset === "all" ? texts.time.allShort : preset}
						</button>
					);
				})}
			</div>
			<div className="mt-1 grid grid-cols-3 gap-1">
				{NAMED_RANGES.map((name) => (
					<button
						key={name}
						type="button"
						aria-pressed={!search.to && search.from === name}
						onClick={() => choose({ from: name })}
						className="h-7 rounded hover:bg-hover aria-pressed:bg-accent-soft aria-pressed:text-accent"
					>
						{texts.time.named[name]}
					</button>
				))}
			</div>
			<CustomRange key={`${search.from} ${search.to}`} search={search} onChoose={choose} />
		</Popover>
	);
}

/** `2026-11-21 09:30` as it is shown, in the zone that is shown. */
function toText(time: number | undefined): string {
	return time === undefined ? "" : formatExactTime(time).slice(0, 16);
}

function toTime(text: string, utc: boolean): string | undefined {
	const trimmed = text.trim().replace(" ", "T");
	if (!/^\d{4}-\d\d-\d\d/.test(trimmed)) return undefined;
	const full = /T/.test(trimmed) ? trimmed : `${trimmed}T00:00`;
	const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(full);
	const time = Date.parse(utc && !zoned ? `${full}Z` : full);
	return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** A time, `25m` back from now, or nothing for all time. */
function toStart(text: string, utc: boolean): string | undefined {
	if (text === "") return "all";
	return /^\d{1,5}[mhd]$/.test(text) ? text : toTime(text, utc);
}

function CustomRange({
	search,
	onChoose,
}: {
	search: TimeRangeSearch;
	onChoose: (range: TimeRangeSearch) => void;
}): ReactNode {
	const resolved = resolveRange(search);
	const [zone] = useTimeZone();
	const [from, setFrom] = useState(toText(resolved.from));
	const [to, setTo] = useState(search.to ? toText(resolved.to) : "");
	const [problem, setProblem] = useState<{ from?: string; to?: string }>({});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const start = toStart(from.trim(), zone === "utc");
		const end = to.trim() === "" ? undefined : toTime(to, zone === "utc");
		if (start === undefined) return setProblem({ from: texts.time.invalid });
		if (to.trim() !== "" && end === undefined) return setProblem({ to: texts.time.invalid });
		if (end !== undefined && Date.parse(end) <= (resolveRange({ from: start, to: end }).from ?? 0)) {
			return setProblem({ to: texts.time.order });
		}
		onChoose({ from: start, ...(end === undefined ? {} : { to: end }) });
	};
	return (
		<form onSubmit={submit} className="mt-3 grid grid-cols-2 gap-2 border-line border-t pt-3">
			<Field label={texts.time.from} error={problem.from}>
				<Input
					value={from}
					onChange={(event) => setFrom(event.target.value)}
					aria-invalid={problem.from !== undefined}
				/>
			</Field>
			<Field label={texts.time.to} error={problem.to}>
				<Input
					value={to}
					placeholder={texts.time.now}
					onChange={(event) => setTo(event.target.value)}
					aria-invalid={problem.to !== undefined}
				/>
			</Field>
			<Button type="submit" look="primary" className="col-start-2">
				{texts.time.apply}
			</Button>
		</form>
	);
}
