import Ban from "lucide-react/icons/ban";
import Check from "lucide-react/icons/check";
import type { ReactNode } from "react";
import { formatCompact } from "../lib/format.ts";
import { classNames } from "../ui/class-names.ts";
import { facetsTexts as TEXTS } from "./facets-en.ts";

/** How a value stands in the filter. */
export type ValueState = "open" | "chosen" | "excluded";

export interface FacetValueRowProps {
	readonly label: string;
	/** Rows do not have the field. */
	readonly isNone: boolean;
	/** Undefined where nothing was counted, as the value is only in the filter. */
	readonly count: number | undefined;
	readonly isPartial: boolean;
	/** Of the most frequent value, 0 to 1. */
	readonly share: number;
	readonly state: ValueState;
	/** Undefined where filters cannot say the value. */
	readonly onChoose: ((isExcluded: boolean) => void) | undefined;
}

/** A value with its count and a bar: a click filters by it, Alt-click leaves it out. */
export function FacetValueRow(props: FacetValueRowProps): ReactNode {
	const { label, isNone, count, isPartial, share, state, onChoose } = props;
	const exact = count === undefined ? "" : TEXTS.count(count);
	const said = isPartial && exact ? TEXTS.atLeast(exact) : exact;
	return (
		<li className="group/value relative flex items-center">
			{state !== "excluded" && (
				<span
					aria-hidden
					className="absolute inset-y-0.5 left-0 rounded-sm bg-accent-soft"
					style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }}
				/>
			)}
			<button
				type="button"
				aria-pressed={state !== "open"}
				title={onChoose === undefined ? TEXTS.notOfFilters : `${TEXTS.only(label)}${said ? ` · ${said}` : ""}`}
				disabled={onChoose === undefined}
				onClick={(event) => onChoose?.(event.altKey || state === "excluded")}
				className="relative flex h-6 min-w-0 flex-1 items-center gap-1.5 rounded-sm px-1.5 text-left hover:bg-hover disabled:hover:bg-transparent pointer-coarse:h-11"
			>
				<span className="flex size-3 shrink-0 items-center text-accent">
					{state === "chosen" && <Check size={12} aria-hidden />}
					{state === "excluded" && <Ban size={12} aria-hidden className="text-danger" />}
				</span>
				<span
					className={classNames(
						"min-w-0 flex-1 truncate",
						isNone && "text-muted italic",
						state === "chosen" && "font-medium",
						state === "excluded" && "line-through",
					)}
				>
					{state === "excluded" && <span className="sr-only">{TEXTS.without} </span>}
					{label}
				</span>{" "}
				<span className="shrink-0 text-muted text-sm tabular-nums group-focus-within/value:pr-6 group-hover/value:pr-6 pointer-coarse:pr-10">
					{count !== undefined && <Count count={count} isPartial={isPartial} />}
				</span>
			</button>
			{onChoose && state !== "excluded" && (
				<button
					type="button"
					aria-label={TEXTS.exclude(label)}
					title={TEXTS.exclude(label)}
					onClick={() => onChoose(true)}
					className="invisible absolute right-0.5 flex size-5 items-center justify-center rounded text-muted hover:bg-surface hover:text-danger focus-visible:visible group-focus-within/value:visible group-hover/value:visible pointer-coarse:visible pointer-coarse:size-10"
				>
					<Ban size={12} aria-hidden />
				</button>
			)}
		</li>
	);
}

function Count({ count, isPartial }: { count: number; isPartial: boolean }): ReactNode {
	return (
		<>
			{isPartial && (
				<>
					<span className="sr-only">{TEXTS.atLeast("")}</span>
					<span aria-hidden>≥ </span>
				</>
			)}
			{formatCompact(count)}
			<span className="sr-only"> {TEXTS.rows(count)}</span>
		</>
	);
}
