import Check from "lucide-react/icons/check";
import ChevronRight from "lucide-react/icons/chevron-right";
import Copy from "lucide-react/icons/copy";
import Route from "lucide-react/icons/route";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { classNames } from "../class-names.ts";
import { copyText } from "../copy-button.tsx";
import { formatPath, type JsonPath, type JsonRow, summarize } from "./json-rows.ts";
import { childCount, formatJson, isContainer, type Json } from "./json-value.ts";
import { TextContent } from "./text-content.tsx";

const STRING_SCREENFUL = { characters: 600, lines: 10 };

interface JsonLineProps {
	readonly row: JsonRow;
	/** No line opens, so none needs room for the arrow. */
	readonly flat: boolean;
	readonly match: boolean;
	readonly current: boolean;
	readonly onToggle: (row: JsonRow) => void;
	readonly onPick?: ((path: JsonPath, value: Json, withAlt: boolean) => void) | undefined;
	readonly onMore: (path: JsonPath, where: "before" | "after") => void;
}

/** One line of the tree, with what copies its value and its path. */
export function JsonLine({ row, flat, match, current, onToggle, onPick, onMore }: JsonLineProps): ReactNode {
	const depth = row.type === "more" ? row.path.length : Math.max(0, row.path.length - 1);
	const step = row.path.at(-1);
	const indent = { paddingLeft: `${Math.min(depth, 24) * 14}px` };
	if (row.type === "more") {
		return (
			<li style={indent}>
				<button type="button" className="ml-4 text-accent hover:underline" onClick={() => onMore(row.path, row.where)}>
					{texts.jsonMore(row.hidden)}
				</button>
			</li>
		);
	}
	const opens = childCount(row.value) > 0;
	const name = step === undefined ? undefined : String(step);
	return (
		<li
			style={indent}
			{...(current ? { "data-current": "" } : {})}
			className={classNames(
				"group/json flex min-h-5 items-start rounded",
				current ? "bg-accent-soft" : match && "bg-warn-soft",
			)}
		>
			{opens ? (
				<button
					type="button"
					aria-expanded={row.expanded}
					className="flex min-w-0 items-start rounded text-left hover:bg-hover"
					onClick={() => onToggle(row)}
					onKeyDown={(event) => copyByKey(event, row)}
				>
					<ChevronRight
						size={13}
						aria-hidden
						className={classNames("mt-0.5 mr-0.5 shrink-0 text-muted", row.expanded && "rotate-90")}
					/>
					<LineName name={name} index={typeof step === "number"} />
					<span className="truncate text-muted">{row.expanded ? openBracket(row.value) : summarize(row.value)}</span>
				</button>
			) : (
				<span className={classNames("flex min-w-0 items-start", !flat && "ml-[15px]")}>
					{onPick && name !== undefined && row.path.every((each) => typeof each === "string") ? (
						<button
							type="button"
							tabIndex={-1}
							title={texts.filterBy}
							onClick={(event) => onPick(row.path, row.value, event.altKey)}
							className="mr-2 max-w-96 shrink-0 truncate text-kind-prompt hover:underline"
						>
							{name}
							<span className="text-muted">:</span>
						</button>
					) : (
						<LineName name={name} index={typeof step === "number"} />
					)}
					<Scalar value={row.value} />
				</span>
			)}
			<LineActions row={row} />
		</li>
	);
}

function copyByKey(event: KeyboardEvent, row: JsonRow & { type: "value" }): void {
	if (event.ctrlKey || event.metaKey || event.altKey) return;
	if (event.key === "c") void copyText(formatJson(row.value));
	if (event.key === "p") void copyText(formatPath(row.path));
}

function openBracket(value: Json): string {
	return Array.isArray(value) ? `[${value.length}]` : "";
}

function LineName({ name, index }: { name: string | undefined; index: boolean }): ReactNode {
	if (name === undefined) return null;
	return (
		<span
			className={classNames("mr-2 max-w-96 shrink-0 truncate", index ? "text-muted" : "text-kind-prompt")}
			title={name}
		>
			{name}
			<span className="text-muted">:</span>
		</span>
	);
}

function Scalar({ value }: { value: Json }): ReactNode {
	if (typeof value === "string") {
		if (value === "") return <span className="text-muted">""</span>;
		return <TextContent text={value} plain screenful={STRING_SCREENFUL} className="min-w-0" />;
	}
	if (isContainer(value)) return <span className="text-muted">{summarize(value)}</span>;
	return <span className={value === null ? "text-muted" : "text-kind-agent"}>{String(value)}</span>;
}

function LineActions({ row }: { row: JsonRow & { type: "value" } }): ReactNode {
	return (
		<span className="ml-1 flex h-5 shrink-0 items-center opacity-0 group-focus-within/json:opacity-100 group-hover/json:opacity-100">
			<LineAction
				label={texts.copyValue}
				icon={<Copy size={12} aria-hidden />}
				text={() => (typeof row.value === "string" ? row.value : formatJson(row.value))}
			/>
			{row.path.length > 0 && (
				<LineAction label={texts.copyPath} icon={<Route size={12} aria-hidden />} text={() => formatPath(row.path)} />
			)}
		</span>
	);
}

/** Not a stop of the tab key: a tree of forty lines would have eighty of them. On a line's own button, `c` and `p` do the same. */
function LineAction({ label, icon, text }: { label: string; icon: ReactNode; text: () => string }): ReactNode {
	const [copied, setCopied] = useState(false);
	const copy = () => {
		copyText(text()).then(
			() => setCopied(true),
			() => setCopied(false),
		);
	};
	return (
		<button
			type="button"
			tabIndex={-1}
			title={label}
			aria-label={label}
			onClick={copy}
			onMouseLeave={() => setCopied(false)}
			className="inline-flex size-5 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
		>
			{copied ? <Check size={12} aria-hidden className="text-ok" /> : icon}
		</button>
	);
}
