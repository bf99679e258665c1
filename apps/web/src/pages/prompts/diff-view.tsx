import type { PromptVersionDiff } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { localSetting } from "../../lib/local-setting.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { formatJson, type Json } from "../../ui/content/json-value.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { Select } from "../../ui/select.tsx";
import { foldEqual, sideBySide } from "./diff-lines.ts";
import type { NumberedVersion } from "./numbered.ts";
import { diffQuery } from "./queries.ts";

const TEXTS = promptTexts.compare;
const viewSetting = localSetting("prompt-diff");
type Line = PromptVersionDiff["messages"][number]["lines"][number];

/** The differences between two versions. */
export function DiffView({
	version,
	versions,
	against,
	onAgainst,
}: {
	version: NumberedVersion;
	versions: readonly NumberedVersion[];
	against: string | undefined;
	onAgainst: (id: string) => void;
}): ReactNode {
	const [view, setView] = useLocalSetting(viewSetting);
	const others = versions.filter(({ id }) => id !== version.id);
	// By default the previous version, or for the first one the next.
	const usual = others.find(({ number }) => number < version.number) ?? others.at(-1);
	const before = others.find(({ id }) => id === against) ?? usual;
	if (before === undefined) return <EmptyState title={TEXTS.onlyOne} text={TEXTS.onlyOneText} />;
	const isSide = view === "side";
	return (
		<div className="flex min-w-0 flex-col gap-4">
			<div className="flex flex-wrap items-center gap-x-4 gap-y-2">
				<span className="flex items-center gap-2">
					<span className="text-muted">{TEXTS.against}</span>
					<Select
						label={TEXTS.against}
						value={before.id}
						onChange={onAgainst}
						choices={others.map(({ id, number, tags }) => ({
							value: id,
							label: [promptTexts.version(number), ...tags].join(" · "),
						}))}
					/>
				</span>
				<SegmentedControl
					label={TEXTS.view}
					value={isSide ? "side" : "changes"}
					onChange={(next) => setView(next === "side" ? next : undefined)}
					choices={[
						{ value: "changes", label: TEXTS.changes },
						{ value: "side", label: TEXTS.sideBySide },
					]}
				/>
				<span className="text-muted">
					{TEXTS.from(promptTexts.version(before.number))} {TEXTS.to(promptTexts.version(version.number))}
				</span>
			</div>
			<Diff version={version.id} against={before.id} isSide={isSide} />
		</div>
	);
}

function Diff({ version, against, isSide }: { version: string; against: string; isSide: boolean }): ReactNode {
	const query = useQuery(diffQuery(version, against));
	return (
		<Loaded data={query.data} query={query}>
			{(diff) => {
				if (diff.is_equal) return <p className="text-muted">{TEXTS.same}</p>;
				return (
					<>
						{diff.changes.length > 0 && <Changes changes={diff.changes} />}
						{diff.messages.map((message, index) => (
							<MessageDiff key={index} message={message} isSide={isSide} />
						))}
					</>
				);
			}}
		</Loaded>
	);
}

function Changes({ changes }: { changes: PromptVersionDiff["changes"] }): ReactNode {
	return (
		<table className="w-full table-fixed border-collapse" aria-label={TEXTS.changes}>
			<tbody>
				{changes.map(({ path, kind, before, after }) => (
					<tr key={path.join(".")} className="border-line border-b align-top">
						<th
							scope="row"
							className="w-52 py-1.5 pr-3 text-left font-mono font-normal text-muted text-sm [overflow-wrap:anywhere]"
						>
							{path.join(".")}
						</th>
						<td className="py-1.5">
							<div className="flex flex-wrap items-start gap-x-2 gap-y-1">
								{kind !== "added" && <Value value={before} tone="removed" />}
								{kind === "changed" && <span aria-hidden>→</span>}
								{kind !== "removed" && <Value value={after} tone="added" />}
							</div>
						</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

const TONES = {
	added: "bg-[color-mix(in_srgb,var(--ok)_14%,transparent)]",
	removed: "bg-[color-mix(in_srgb,var(--danger)_14%,transparent)]",
	equal: "",
};

function Value({ value, tone }: { value: unknown; tone: "added" | "removed" }): ReactNode {
	if (value === "" || value === undefined) return <span className="text-muted italic">{TEXTS.absent}</span>;
	const text = typeof value === "string" ? value : formatJson(value as Json);
	const Element = tone === "added" ? "ins" : "del";
	return (
		<Element
			className={classNames(
				"max-w-full whitespace-pre-wrap rounded px-1 font-mono text-sm no-underline [overflow-wrap:anywhere]",
				TONES[tone],
			)}
		>
			{text}
		</Element>
	);
}

function MessageDiff({
	message,
	isSide,
}: {
	message: PromptVersionDiff["messages"][number];
	isSide: boolean;
}): ReactNode {
	const { kind, before, after, lines } = message;
	const place = after ?? before;
	const role = before && after && before.role !== after.role ? `${before.role} → ${after.role}` : (place?.role ?? "");
	const title = TEXTS.message((place?.position ?? 0) + 1, role);
	return (
		<section aria-label={title} className="min-w-0 overflow-hidden rounded-md border border-line">
			<h3 className="flex h-8 items-center gap-2 border-line border-b bg-sunken px-3 text-sm">
				<span className="font-semibold">{title}</span>
				{kind !== "equal" && (
					<span className={kind === "removed" ? "text-danger" : kind === "added" ? "text-ok" : "text-muted"}>
						{TEXTS[kind]}
					</span>
				)}
			</h3>
			{isSide ? (
				<SideBySide lines={lines} />
			) : (
				<OneColumn lines={lines} isFolded={kind === "changed" || kind === "equal"} />
			)}
		</section>
	);
}

const LINE = "min-h-5 whitespace-pre-wrap px-3 font-mono text-sm [overflow-wrap:anywhere]";
const SIGN = { added: "+", removed: "−", equal: " " };

function DiffLine({ line }: { line: Line | undefined }): ReactNode {
	if (line === undefined) return <div aria-hidden className={classNames(LINE, "bg-sunken")} />;
	const Element = line.kind === "added" ? "ins" : line.kind === "removed" ? "del" : "div";
	return (
		<Element className={classNames(LINE, "flex gap-2 no-underline", TONES[line.kind])}>
			<span aria-hidden className="shrink-0 select-none text-muted">
				{SIGN[line.kind]}
			</span>
			<span className="min-w-0">{line.text}</span>
		</Element>
	);
}

/** Changed lines with some context; long equal stretches are folded. */
function OneColumn({ lines, isFolded }: { lines: readonly Line[]; isFolded: boolean }): ReactNode {
	const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
	const parts = isFolded ? foldEqual(lines) : [{ lines, isFolded: false }];
	return (
		<div className="py-1">
			{parts.map((part, index) =>
				part.isFolded && !opened.has(index) ? (
					<button
						key={index}
						type="button"
						onClick={() => setOpened(new Set(opened).add(index))}
						className="block w-full bg-sunken py-0.5 text-center text-muted text-sm hover:bg-hover hover:text-ink"
					>
						{TEXTS.unchangedLines(part.lines.length)}
					</button>
				) : (
					part.lines.map((line, at) => <DiffLine key={`${index}.${at}`} line={line} />)
				),
			)}
		</div>
	);
}

function SideBySide({ lines }: { lines: readonly Line[] }): ReactNode {
	return (
		<div className="grid grid-cols-2 py-1">
			{sideBySide(lines).map(([left, right], index) => (
				<div key={index} className="contents">
					<DiffLine line={left} />
					<div className="min-w-0 border-line border-l">
						<DiffLine line={right} />
					</div>
				</div>
			))}
		</div>
	);
}
