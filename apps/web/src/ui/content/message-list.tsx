import ChevronRight from "lucide-react/icons/chevron-right";
import Settings from "lucide-react/icons/settings-2";
import Bot from "lucide-react/icons/sparkles";
import User from "lucide-react/icons/user";
import Wrench from "lucide-react/icons/wrench";
import type { ComponentType, ReactNode } from "react";
import { useMemo, useState } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { classNames } from "../class-names.ts";
import { CopyButton } from "../copy-button.tsx";
import { JsonTree } from "./json-tree.tsx";
import { formatJson, isContainer, type Json } from "./json-value.ts";
import { Media, ZoomableImage } from "./media.tsx";
import {
	argumentsLine,
	type ChatMessage,
	type ChatToolCall,
	foldConversation,
	imagesOf,
	toolNames,
} from "./message.ts";
import { TextContent } from "./text-content.tsx";
import { ValueContent } from "./value-content.tsx";

interface RoleLook {
	readonly name: string;
	readonly icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }>;
	readonly hue: string;
}

const ROLES: Record<string, RoleLook> = {
	user: { name: texts.role.user, icon: User, hue: "text-kind-agent" },
	assistant: { name: texts.role.assistant, icon: Bot, hue: "text-kind-llm" },
	system: { name: texts.role.system, icon: Settings, hue: "text-muted" },
	developer: { name: texts.role.developer, icon: Settings, hue: "text-muted" },
	tool: { name: texts.role.tool, icon: Wrench, hue: "text-kind-tool" },
};

const SYSTEM_SCREENFUL = { characters: 700, lines: 8 };

/** A conversation: who said what, in order; calls and reasoning folded, the middle of a long one folded too. */
export function MessageList({ messages, label }: { messages: readonly ChatMessage[]; label: string }): ReactNode {
	const [whole, setWhole] = useState(false);
	const names = useMemo(() => toolNames(messages), [messages]);
	const parts = whole ? [{ type: "messages" as const, messages }] : foldConversation(messages);
	return (
		<ol aria-label={label} className="flex flex-col gap-3">
			{parts.map((part, index) =>
				part.type === "folded" ? (
					<li key="folded">
						<button
							type="button"
							className="w-full rounded bg-sunken py-1 text-center text-muted text-sm hover:bg-hover hover:text-ink"
							onClick={() => setWhole(true)}
						>
							{texts.earlierMessages(part.messages.length)}
						</button>
					</li>
				) : (
					part.messages.map((message, at) => (
						<li key={`${index}.${at}`}>
							<Message message={message} toolName={message.name ?? names.get(message.tool_call_id ?? "")} />
						</li>
					))
				),
			)}
		</ol>
	);
}

function Message({ message, toolName }: { message: ChatMessage; toolName: string | undefined }): ReactNode {
	const look = ROLES[message.role.toLowerCase()];
	const Icon = look?.icon ?? User;
	const images = imagesOf(message);
	const calls = message.tool_calls ?? [];
	const media = message.media ?? [];
	const empty =
		!message.text &&
		!message.reasoning &&
		calls.length + media.length === 0 &&
		images.inline.length + images.remote.length + images.notSent === 0;
	const isTool = message.role.toLowerCase() === "tool";
	return (
		<article className="group/message min-w-0">
			<header className="flex h-6 items-center gap-1.5 text-sm">
				<span className={classNames("inline-flex items-center gap-1.5 font-semibold", look?.hue ?? "text-ink")}>
					<Icon size={14} aria-hidden />
					{look?.name ?? message.role}
				</span>
				{toolName && <span className="truncate text-muted">{isTool ? texts.resultOf(toolName) : toolName}</span>}
				{message.tool_call_id && <span className="truncate font-mono text-muted text-xs">{message.tool_call_id}</span>}
				{message.text && (
					<CopyButton
						text={message.text}
						className="ml-auto size-6 opacity-0 focus-visible:opacity-100 group-focus-within/message:opacity-100 group-hover/message:opacity-100"
					/>
				)}
			</header>
			<div className="flex min-w-0 flex-col gap-2 pl-5">
				{message.reasoning && <Reasoning text={message.reasoning} />}
				{message.text && <MessageText role={message.role.toLowerCase()} text={message.text} />}
				{images.inline.map((url, index) => (
					<ZoomableImage key={index} url={url} label={texts.image(index + 1)} />
				))}
				{images.remote.map((url) => (
					<p key={url} className="break-all text-sm">
						<span className="text-muted">{texts.imageRemote}</span>{" "}
						<code className="font-mono">{url.slice(0, 500)}</code>
					</p>
				))}
				{images.notSent > 0 && <p className="text-muted text-sm italic">{texts.imagesNotSent(images.notSent)}</p>}
				{media.map((each, index) => (
					<Media key={index} media={each} />
				))}
				{calls.map((call, index) => (
					<ToolCall key={index} call={call} />
				))}
				{empty && <p className="text-muted italic">{texts.emptyMessage}</p>}
			</div>
		</article>
	);
}

function MessageText({ role, text }: { role: string; text: string }): ReactNode {
	if (role === "system" || role === "developer") {
		return <TextContent text={text} screenful={SYSTEM_SCREENFUL} className="text-muted" />;
	}
	return <ValueContent value={text} label={texts.text} />;
}

function Reasoning({ text }: { text: string }): ReactNode {
	return (
		<details className="group/reasoning">
			<summary className="flex w-fit cursor-pointer list-none items-center gap-1 rounded text-muted text-sm hover:text-ink">
				<ChevronRight size={13} aria-hidden className="group-open/reasoning:rotate-90" />
				{texts.reasoning}
			</summary>
			<TextContent text={text} className="mt-1 ml-[5px] border-line border-l-2 pl-3 text-muted" />
		</details>
	);
}

/** A call of a tool on one line; its arguments unfold. */
export function ToolCall({ call }: { call: ChatToolCall }): ReactNode {
	const [open, setOpen] = useState(false);
	const name = call.name ?? texts.unnamedTool;
	const line = argumentsLine(call.arguments);
	return (
		<div className="min-w-0 rounded bg-sunken">
			<button
				type="button"
				aria-expanded={open}
				title={texts.toolCall(name)}
				onClick={() => setOpen(!open)}
				className="flex h-7 w-full min-w-0 items-center gap-1.5 rounded px-2 text-left hover:bg-hover"
			>
				<ChevronRight size={13} aria-hidden className={classNames("shrink-0 text-muted", open && "rotate-90")} />
				<Wrench size={13} aria-hidden className="shrink-0 text-kind-tool" />
				<span className="shrink-0 font-medium">{name}</span>
				<span className="truncate font-mono text-muted text-sm">{line}</span>
			</button>
			{open && (
				<div className="flex items-start gap-2 px-3 pb-2">
					<div className="min-w-0 flex-1">
						{call.arguments === undefined ? (
							<p className="text-muted text-sm italic">{texts.emptyMessage}</p>
						) : (
							<Arguments value={call.arguments} />
						)}
						{call.id && <p className="mt-1 font-mono text-muted text-xs">{texts.callId(call.id)}</p>}
					</div>
					{call.arguments !== undefined && (
						<CopyButton text={typeof call.arguments === "string" ? call.arguments : formatJson(call.arguments)} />
					)}
				</div>
			)}
		</div>
	);
}

function Arguments({ value }: { value: Json }): ReactNode {
	if (isContainer(value)) return <JsonTree value={value} label={texts.section.arguments} />;
	return <TextContent text={String(value)} plain mono />;
}
