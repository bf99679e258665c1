import type { ReactNode } from "react";
import { dataTexts } from "../../texts/data-en.ts";
import { toChatMessages } from "./chat-messages.ts";
import { JsonTree } from "./json-tree.tsx";
import { isContainer, type Json } from "./json-value.ts";
import { MessageList } from "./message-list.tsx";
import { TextContent } from "./text-content.tsx";
import { useValueView } from "./value-view.ts";

/** A value as people read it: texts as texts, conversations as such, each member under its name; or as JSON. */
export function ReadableValue({ value, label }: { value: Json; label: string }): ReactNode {
	const [view] = useValueView();
	if (isEmpty(value)) return <p className="text-muted italic">{dataTexts.examples.empty}</p>;
	if (view === "json" && isContainer(value)) return <JsonTree value={value} label={label} />;
	return <Readable value={value} label={label} />;
}

function Readable({ value, label }: { value: Json; label: string }): ReactNode {
	if (typeof value === "string") return <TextContent text={value} />;
	const messages = toChatMessages(value);
	if (messages) return <MessageList messages={messages} label={label} />;
	if (!isContainer(value)) return <span className="font-mono text-sm">{String(value)}</span>;
	if (Array.isArray(value)) return <JsonTree value={value} label={label} />;
	const members = Object.entries(value);
	const [only] = members;
	if (only && members.length === 1 && isReadable(only[1])) return <Readable value={only[1]} label={only[0]} />;
	return (
		<dl className="flex flex-col gap-2">
			{members.map(([name, member]) => (
				<div key={name} className="min-w-0">
					<dt className="text-muted text-sm">{name}</dt>
					<dd className="min-w-0">
						{isReadable(member) ? (
							<Readable value={member} label={name} />
						) : isContainer(member) ? (
							<JsonTree value={member} label={name} />
						) : (
							<span className="font-mono text-sm">{String(member)}</span>
						)}
					</dd>
				</div>
			))}
		</dl>
	);
}

function isReadable(value: Json): boolean {
	return typeof value === "string" || toChatMessages(value) !== undefined;
}

function isEmpty(value: Json): boolean {
	return value === null || (isContainer(value) && Object.keys(value).length === 0);
}
