import { type ReactNode, useMemo, useState } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { classNames } from "../class-names.ts";
import { JsonTree } from "./json-tree.tsx";
import { isContainer, type Json, parseJsonContainer } from "./json-value.ts";
import { TextContent } from "./text-content.tsx";

export interface ValueContentProps {
	readonly value: Json;
	/** Names the value for screen readers. */
	readonly label: string;
	/** The same in human words, where the value only wraps them; shown first. */
	readonly text?: string | undefined;
}

/** A value of any kind: objects, arrays and texts that hold them as a tree, the rest as text. */
export function ValueContent({ value, label, text }: ValueContentProps): ReactNode {
	const tree = useMemo(
		() => (typeof value === "string" ? parseJsonContainer(value) : isContainer(value) ? value : undefined),
		[value],
	);
	const words = text !== undefined && text !== value && parseJsonContainer(text) === undefined ? text : undefined;
	const [asTree, setAsTree] = useState(words === undefined);
	if (tree === undefined) return <TextContent text={words ?? String(value)} />;
	if (words === undefined) return <JsonTree value={tree} label={label} />;
	return (
		<div>
			<div className="mb-1 flex gap-2 text-sm">
				<Choice chosen={!asTree} onChoose={() => setAsTree(false)} name={texts.text} />
				<Choice chosen={asTree} onChoose={() => setAsTree(true)} name={texts.json} />
			</div>
			{asTree ? <JsonTree value={tree} label={label} /> : <TextContent text={words} />}
		</div>
	);
}

function Choice({ chosen, onChoose, name }: { chosen: boolean; onChoose: () => void; name: string }): ReactNode {
	return (
		<button
			type="button"
			aria-pressed={chosen}
			onClick={onChoose}
			className={classNames("rounded px-1", chosen ? "bg-sunken text-ink" : "text-muted hover:text-ink")}
		>
			{name}
		</button>
	);
}
