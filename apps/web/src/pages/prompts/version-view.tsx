import type { PromptMessage, PromptVersion } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import CirclePlay from "lucide-react/icons/circle-play";
import Wrench from "lucide-react/icons/wrench";
import { type ReactNode, useMemo } from "react";
import { useCan } from "../../lib/me.ts";
import { type TemplateFormat, templateParts, variablesOf } from "../../lib/template-parts.ts";
import { playgroundTexts } from "../../texts/playground-en.ts";
import { promptTexts as TEXTS } from "../../texts/prompts-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { Chip } from "../../ui/chip.tsx";
import { JsonTree } from "../../ui/content/json-tree.tsx";
import { formatJson, isContainer, type Json } from "../../ui/content/json-value.ts";
import { ValueContent } from "../../ui/content/value-content.tsx";
import { CopyButton, CopyId } from "../../ui/copy-button.tsx";
import { parametersOf } from "./parameters.ts";
import { messageTexts, templateTexts } from "./template-texts.ts";

/** Shows a version: messages with highlighted variables, model, and everything else that is sent. */
export function VersionView({ version }: { version: PromptVersion }): ReactNode {
	const can = useCan();
	const { messages } = version.template;
	const format = version.template_format;
	const variables = useMemo(() => variablesOf(templateTexts(version), format), [version, format]);
	const parameters = parametersOf(version);
	return (
		<div className="flex min-w-0 flex-col gap-5">
			{can("write") && (
				<Link to="/playground" search={{ prompt_version: version.id }} className={buttonClass("plain", "self-start")}>
					<CirclePlay size={14} aria-hidden />
					{playgroundTexts.open}
				</Link>
			)}
			<Part title={TEXTS.messages}>
				<ol aria-label={TEXTS.messages} className="flex flex-col gap-3">
					{messages.map((message, index) => (
						<li key={index}>
							<TemplateMessage message={message} format={format} />
						</li>
					))}
				</ol>
			</Part>
			<Part title={TEXTS.variables} aside={<span className="text-muted text-sm">{TEXTS.formats[format]}</span>}>
				{variables.length === 0 ? (
					<p className="text-muted">{TEXTS.noVariables}</p>
				) : (
					<ul className="flex flex-wrap gap-1.5">
						{variables.map((name) => (
							<li key={name} className="rounded bg-accent-soft px-1.5 font-mono text-accent text-sm">
								{name}
							</li>
						))}
					</ul>
				)}
			</Part>
			<Part title={TEXTS.model}>
				<p className="flex flex-wrap items-center gap-2">
					<span className="font-medium">{version.model_name}</span>
					<span className="text-muted">{version.model_provider}</span>
				</p>
			</Part>
			<Part title={TEXTS.parameters}>
				{Object.keys(parameters).length === 0 ? (
					<p className="text-muted">{TEXTS.noParameters}</p>
				) : (
					<dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1">
						{Object.entries(parameters).map(([name, value]) => (
							<div key={name} className="contents">
								<dt className="font-mono text-muted text-sm">{name}</dt>
								<dd className="min-w-0">
									{isContainer(value) ? <JsonTree value={value} label={name} lines={3} /> : String(value)}
								</dd>
							</div>
						))}
					</dl>
				)}
			</Part>
			{version.tools && <Tools tools={version.tools} />}
			{version.response_format && (
				<Part
					title={TEXTS.responseFormat}
					aside={
						<>
							<span className="font-medium">{version.response_format.json_schema.name}</span>
							{version.response_format.json_schema.strict && <Chip>strict</Chip>}
						</>
					}
				>
					{version.response_format.json_schema.schema && (
						<JsonTree
							value={version.response_format.json_schema.schema as Json}
							label={TEXTS.responseFormat}
							lines={12}
						/>
					)}
				</Part>
			)}
			{version.metadata !== undefined && Object.keys(version.metadata).length > 0 && (
				<Part title={TEXTS.metadata}>
					<JsonTree value={version.metadata as Json} label={TEXTS.metadata} />
				</Part>
			)}
			<p className="flex items-center gap-2 text-muted text-sm">
				{TEXTS.id}
				<CopyId id={version.id} name={TEXTS.id} length={40} />
			</p>
		</div>
	);
}

function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }): ReactNode {
	return (
		<section aria-label={title} className="flex min-w-0 flex-col gap-1.5">
			<div className="flex min-h-6 items-center gap-2 border-line border-b">
				<h3 className="font-semibold text-muted text-sm">{title}</h3>
				{aside}
			</div>
			{children}
		</section>
	);
}

function TemplateMessage({ message, format }: { message: PromptMessage; format: TemplateFormat }): ReactNode {
	const parts =
		typeof message.content === "string" ? [{ type: "text" as const, text: message.content }] : message.content;
	const all = messageTexts(message).join("\n\n");
	return (
		<article className="group/message min-w-0 rounded-md border border-line">
			<header className="flex h-8 items-center gap-2 border-line border-b bg-sunken px-3 text-sm">
				<span className="font-semibold">{TEXTS.roles[message.role]}</span>
				{all && <CopyButton text={all} className="-mr-2 ml-auto size-6" />}
			</header>
			<div className="flex min-w-0 flex-col gap-2 px-3 py-2">
				{parts.map((part, index) => (
					<MessagePart key={index} part={part} format={format} />
				))}
			</div>
		</article>
	);
}

type ContentPart = Exclude<PromptMessage["content"], string>[number];

function MessagePart({ part, format }: { part: ContentPart; format: TemplateFormat }): ReactNode {
	switch (part.type) {
		case "text":
			return <TemplateText text={part.text} format={format} />;
		case "tool_call":
			return (
				<div className="flex min-w-0 items-start gap-2 rounded bg-sunken px-2 py-1.5">
					<Wrench size={13} aria-hidden className="mt-1 shrink-0 text-kind-tool" />
					<span className="shrink-0 font-medium">{TEXTS.toolCall(part.tool_call.name)}</span>
					<TemplateText text={part.tool_call.arguments} format={format} mono />
				</div>
			);
		case "tool_result":
			return (
				<div className="min-w-0 rounded bg-sunken px-2 py-1.5">
					<span className="text-muted text-sm">{TEXTS.toolResult(part.tool_call_id)}</span>
					<ValueContent value={part.tool_result as Json} label={TEXTS.toolResult(part.tool_call_id)} />
				</div>
			);
	}
}

/** A text of a template with highlighted variables. */
function TemplateText({ text, format, mono }: { text: string; format: TemplateFormat; mono?: boolean }): ReactNode {
	return (
		<p className={`min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere] ${mono ? "font-mono text-sm" : ""}`}>
			{templateParts(text, format).map((part, index) =>
				part.variable === undefined ? (
					part.text
				) : (
					<span key={index} className="rounded bg-accent-soft px-0.5 font-mono text-[0.92em] text-accent">
						{part.text}
					</span>
				),
			)}
		</p>
	);
}

function Tools({ tools }: { tools: NonNullable<PromptVersion["tools"]> }): ReactNode {
	const choice = tools.tool_choice;
	return (
		<Part
			title={TEXTS.tools}
			aside={
				<span className="flex items-center gap-2 text-muted text-sm">
					{choice && (choice.type === "specific_function" ? choice.function_name : choice.type.replaceAll("_", " "))}
					{tools.disable_parallel_tool_calls && <Chip>{TEXTS.parallelOff}</Chip>}
				</span>
			}
		>
			<ul className="flex flex-col gap-1.5">
				{tools.tools.map((tool, index) => (
					<li key={index} className="rounded-md border border-line">
						<details>
							<summary className="flex cursor-pointer items-center gap-2 px-3 py-1.5">
								<Wrench size={13} aria-hidden className="shrink-0 text-kind-tool" />
								<span className="font-medium font-mono text-sm">
									{tool.type === "function" ? tool.function.name : "raw"}
								</span>
								<span className="min-w-0 flex-1 truncate text-muted">
									{tool.type === "function" ? tool.function.description : ""}
								</span>
							</summary>
							<div className="flex items-start border-line border-t px-3 py-2">
								<div className="min-w-0 flex-1">
									<JsonTree value={toolJson(tool)} label={TEXTS.tools} lines={20} />
								</div>
								<CopyButton text={formatJson(toolJson(tool))} className="size-6" />
							</div>
						</details>
					</li>
				))}
			</ul>
		</Part>
	);
}

function toolJson(tool: NonNullable<PromptVersion["tools"]>["tools"][number]): Json {
	return (tool.type === "function" ? tool.function : tool.raw) as unknown as Json;
}
