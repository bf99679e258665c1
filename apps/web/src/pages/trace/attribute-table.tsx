import { type ReactNode, useState } from "react";
import type { AttributeFilter } from "../../filtering/attribute-filter.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import type { JsonPath } from "../../ui/content/json-rows.ts";
import { JsonTree, type JsonTreeProps } from "../../ui/content/json-tree.tsx";
import { formatJson, isContainer, type Json, parseJsonContainer } from "../../ui/content/json-value.ts";
import { TextContent } from "../../ui/content/text-content.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { markWords } from "./find-in-trace.ts";
import type { SentAttribute } from "./sent-attributes.ts";

const SCREENFUL = { characters: 400, lines: 6 };
const LISTED = 300;

type OnFilter = (asked: AttributeFilter) => void;

/** Attributes as they were sent: key, type, value with every digit. */
export function AttributeTable({
	attributes,
	words = [],
	label,
	onFilter,
}: {
	attributes: readonly SentAttribute[];
	words?: readonly string[];
	label: string;
	/** Makes the keys buttons that filter by their attribute. */
	onFilter?: OnFilter | undefined;
}): ReactNode {
	const [listed, setListed] = useState(LISTED);
	return (
		<>
			<table className="block w-full table-fixed border-collapse text-left @[30rem]:table" aria-label={label}>
				<colgroup>
					<col className="w-[34%]" />
					<col />
				</colgroup>
				<thead className="sr-only">
					<tr>
						<th scope="col">{texts.attributeKey}</th>
						<th scope="col">{texts.attributeValue}</th>
					</tr>
				</thead>
				<tbody className="block @[30rem]:table-row-group">
					{attributes.slice(0, listed).map((attribute, index) => (
						<tr
							key={`${attribute.key} ${index}`}
							className="group/row block @[30rem]:table-row border-line border-b align-top last:border-0 hover:bg-sunken"
						>
							<th
								scope="row"
								className="block pt-1 pr-3 font-mono font-normal text-muted text-sm @[30rem]:table-cell @[30rem]:py-1"
							>
								<AttributeKey attribute={attribute} words={words} onFilter={onFilter} />
							</th>
							<td className="block py-1 font-mono text-sm @[30rem]:table-cell">
								<div className="flex min-w-0 items-start">
									<div className="min-w-0 flex-1">
										<AttributeValue attribute={attribute} words={words} onFilter={onFilter} />
									</div>
									<CopyButton
										text={typeof attribute.value === "string" ? attribute.value : formatJson(attribute.value)}
										className="-my-0.5 size-6 opacity-0 focus-visible:opacity-100 group-hover/row:opacity-100"
									/>
								</div>
							</td>
						</tr>
					))}
				</tbody>
			</table>
			{attributes.length > listed && (
				<button
					type="button"
					className="mt-1 text-accent text-sm hover:underline"
					onClick={() => setListed(listed + LISTED)}
				>
					{texts.jsonMore(attributes.length - listed)}
				</button>
			)}
		</>
	);
}

interface AttributePartProps {
	readonly attribute: SentAttribute;
	readonly words: readonly string[];
	readonly onFilter: OnFilter | undefined;
}

/** The name; a click filters by the attribute, Alt+click excludes it. */
function AttributeKey({ attribute, words, onFilter }: AttributePartProps): ReactNode {
	const { key, type, value } = attribute;
	const name = <Marked text={key} words={words} />;
	if (!onFilter) {
		return (
			<span className="break-words" title={type}>
				{name}
			</span>
		);
	}
	return (
		<button
			type="button"
			title={`${type}\n${texts.filterBy}`}
			onClick={(event) => onFilter({ key, value: type === "bytes" ? null : value, isExcluded: event.altKey })}
			className="max-w-full break-words rounded text-left underline-offset-2 hover:text-accent hover:underline"
		>
			{name}
		</button>
	);
}

function AttributeValue({ attribute, words, onFilter }: AttributePartProps): ReactNode {
	const { key, value, type } = attribute;
	const onPick =
		onFilter &&
		((path: JsonPath, picked: Json, isExcluded: boolean) =>
			onFilter({ key: [key, ...path].join("."), value: picked, isExcluded }));
	if (isContainer(value)) return <JsonTree value={value} label={key} onPick={onPick} />;
	if (type === "string" && typeof value === "string") {
		const isExpanded = key === "metadata";
		return <StringValue text={value} label={key} words={words} onPick={isExpanded ? onPick : undefined} />;
	}
	return (
		<span className="text-kind-agent">{type === "empty" ? <i className="text-muted">{type}</i> : String(value)}</span>
	);
}

/** A text; one that contains JSON can be opened as a tree. */
function StringValue({
	text,
	label,
	words,
	onPick,
}: {
	text: string;
	label: string;
	words: readonly string[];
	onPick: JsonTreeProps["onPick"];
}): ReactNode {
	const [tree, setTree] = useState<Json>();
	const json = text.length > 1 && /^\s*[[{]/u.test(text);
	if (tree !== undefined) {
		return (
			<>
				<Toggle name={texts.text} onClick={() => setTree(undefined)} />
				<JsonTree value={tree} label={label} onPick={onPick} />
			</>
		);
	}
	return (
		<>
			{text.length <= SCREENFUL.characters && words.length > 0 ? (
				<span className="whitespace-pre-wrap break-words">
					<Marked text={text} words={words} />
				</span>
			) : (
				<TextContent text={text} plain screenful={SCREENFUL} />
			)}
			{json && <JsonToggle text={text} onTree={setTree} />}
		</>
	);
}

function JsonToggle({ text, onTree }: { text: string; onTree: (tree: Json) => void }): ReactNode {
	const [refused, setRefused] = useState(false);
	if (refused) return null;
	const open = () => {
		const tree = parseJsonContainer(text);
		if (tree === undefined) setRefused(true);
		else onTree(tree);
	};
	return <Toggle name={texts.json} onClick={open} />;
}

function Toggle({ name, onClick }: { name: string; onClick: () => void }): ReactNode {
	return (
		<button type="button" onClick={onClick} className="block font-sans text-accent text-sm hover:underline">
			{texts.showAs(name)}
		</button>
	);
}

function Marked({ text, words }: { text: string; words: readonly string[] }): ReactNode {
	if (words.length === 0) return text;
	return markWords(text, words).map((part, index) =>
		part.match ? (
			<mark key={index} className="rounded-xs bg-warn-soft text-warn">
				{part.text}
			</mark>
		) : (
			part.text
		),
	);
}
