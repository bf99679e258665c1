import { type ReactNode, useMemo, useState } from "react";
import { compareTracesTexts as TEXTS } from "../../../texts/compare-traces-en.ts";
import { traceTexts } from "../../../texts/trace-en.ts";
import type { ChatMessage } from "../../../ui/content/message.ts";
import { MessageList } from "../../../ui/content/message-list.tsx";
import { TextContent } from "../../../ui/content/text-content.tsx";
import { WordDiffColumns } from "../../../ui/content/word-diff.tsx";
import { Section } from "../section.tsx";
import { alignMessages, type MessageRow, messageText } from "./message-differences.ts";
import type { PairContent as Content } from "./pair-contents.ts";

/** A part of what two spans say, side by side, with the words marked that differ; or of the only one. */
export function PairContent({ content, only }: { content: Content; only: "left" | "right" | undefined }): ReactNode {
	if ("messages" in content) {
		const { title, messages } = content;
		return (
			<Section title={title}>
				{only ? <MessageList messages={messages[only]} label={title} /> : <Conversations {...messages} />}
			</Section>
		);
	}
	const { title, left, right } = content;
	if (only) {
		return (
			<Section title={title}>
				<OneSide text={content[only]} />
			</Section>
		);
	}
	const isEqual = left === right;
	return (
		<Section title={title} aside={isEqual && <span className="text-muted text-sm">{TEXTS.equal}</span>}>
			{isEqual ? <TextContent text={left ?? ""} plain className="text-muted" /> : <Texts left={left} right={right} />}
		</Section>
	);
}

/** Two columns, one below the other where there is no room. */
const COLUMNS = "grid min-w-0 grid-cols-1 gap-x-4 gap-y-2 @[34rem]:grid-cols-2";

function Texts({ left, right }: { left: string | undefined; right: string | undefined }): ReactNode {
	if (left !== undefined && right !== undefined) {
		return (
			<div className={COLUMNS}>
				<WordDiffColumns before={left} after={right} />
			</div>
		);
	}
	return (
		<div className={COLUMNS}>
			<OneSide text={left} />
			<OneSide text={right} />
		</div>
	);
}

function OneSide({ text }: { text: string | undefined }): ReactNode {
	if (text === undefined) return <p className="text-muted italic">{TEXTS.absent}</p>;
	return <TextContent text={text} plain className="min-w-0 [overflow-wrap:anywhere]" />;
}

function Conversations({ left, right }: { left: readonly ChatMessage[]; right: readonly ChatMessage[] }): ReactNode {
	const parts = useMemo(() => gather(alignMessages(left, right)), [left, right]);
	return (
		<ol className="flex flex-col gap-3">
			{parts.map((part, index) =>
				part.isEqual ? (
					<Equal key={index} messages={part.rows} />
				) : (
					part.rows.map((row, at) => <Row key={`${index}.${at}`} row={row} />)
				),
			)}
		</ol>
	);
}

interface Part {
	readonly isEqual: boolean;
	readonly rows: MessageRow[];
}

/** Equal messages that follow each other together. */
function gather(rows: readonly MessageRow[]): Part[] {
	const parts: Part[] = [];
	for (const row of rows) {
		const last = parts.at(-1);
		if (last?.isEqual === row.isEqual) last.rows.push(row);
		else parts.push({ isEqual: row.isEqual, rows: [row] });
	}
	return parts;
}

function Equal({ messages }: { messages: readonly MessageRow[] }): ReactNode {
	const [isOpen, setOpen] = useState(false);
	const list = messages.flatMap(({ left }) => (left ? [left] : []));
	return (
		<li>
			<button
				type="button"
				aria-expanded={isOpen}
				className="w-full rounded bg-sunken py-1 text-center text-muted text-sm hover:bg-hover hover:text-ink"
				onClick={() => setOpen(!isOpen)}
			>
				{TEXTS.equalMessages(list.length)}
			</button>
			{isOpen && (
				<div className="mt-2">
					<MessageList messages={list} label={TEXTS.equalMessages(list.length)} />
				</div>
			)}
		</li>
	);
}

function Row({ row: { left, right } }: { row: MessageRow }): ReactNode {
	const role = (left ?? right)?.role ?? "";
	const known = Object.hasOwn(traceTexts.role, role) ? traceTexts.role[role as keyof typeof traceTexts.role] : role;
	return (
		<li className="min-w-0">
			<p className="mb-1 font-semibold text-sm">{known}</p>
			<Texts left={left && messageText(left)} right={right && messageText(right)} />
		</li>
	);
}
