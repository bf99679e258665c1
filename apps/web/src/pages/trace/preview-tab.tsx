import type { SpanDetail } from "@spanward/client";
import { Fragment, type ReactNode, useMemo } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { JsonTree } from "../../ui/content/json-tree.tsx";
import { formatJson, isContainer, type Json } from "../../ui/content/json-value.ts";
import { MessageList } from "../../ui/content/message-list.tsx";
import { TextContent } from "../../ui/content/text-content.tsx";
import { ValueContent } from "../../ui/content/value-content.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { DocumentList } from "./document-list.tsx";
import { ErrorBox } from "./error-box.tsx";
import { ErrorGroupLink } from "./error-group-link.tsx";
import { type PreviewPart, previewParts } from "./preview.ts";
import { Section } from "./section.tsx";
import { SpanFacts } from "./span-facts.tsx";
import { SpanLinks } from "./span-links.tsx";

export interface PreviewTabProps {
	readonly project: string;
	readonly traceId: string;
	readonly span: SpanDetail;
}

/** A readable view of what the span did. */
export function PreviewTab({ project, traceId, span }: PreviewTabProps): ReactNode {
	const { semantic } = span;
	const parts = useMemo(() => previewParts(semantic), [semantic]);
	const { invocation_parameters: parameters, tool_definitions: tools } = semantic;
	const metadata = (semantic.metadata ?? semantic.metadata_flattened) as Json | undefined;
	return (
		<div className="flex min-w-0 flex-col gap-5">
			{parts.map((part, index) => (
				<Fragment key={index}>
					<Part part={part} />
					{part.part === "error" && (
						<ErrorGroupLink project={project} traceId={traceId} spanId={span.context.span_id} />
					)}
				</Fragment>
			))}
			{tools && tools.length > 0 && (
				<Section title={texts.section.toolsOffered}>
					<ul className="flex flex-wrap gap-1.5">
						{tools.map((name) => (
							<li key={name} className="rounded bg-sunken px-1.5 font-mono text-sm">
								{name}
							</li>
						))}
					</ul>
				</Section>
			)}
			{isFilled(parameters) && (
				<Section title={texts.section.parameters} aside={<CopyButton text={asText(parameters)} className="size-6" />}>
					<ValueContent value={parameters} label={texts.section.parameters} />
				</Section>
			)}
			{isFilled(metadata) && (
				<Section title={texts.section.metadata}>
					<ValueContent value={metadata} label={texts.section.metadata} />
				</Section>
			)}
			<SpanLinks project={project} traceId={traceId} links={span.links} />
			<SpanFacts project={project} span={span} />
		</div>
	);
}

function isFilled(value: unknown): value is Json {
	if (value === undefined || value === null || value === "") return false;
	return !(isContainer(value as Json) && Object.keys(value as object).length === 0);
}

function asText(value: Json): string {
	return typeof value === "string" ? value : formatJson(value);
}

function Part({ part }: { part: PreviewPart }): ReactNode {
	switch (part.part) {
		case "error":
			return <ErrorBox error={part.error} />;
		case "not-captured":
			return <NotCaptured convention={part.convention} />;
		case "tool":
			return <Tool tool={part.tool} />;
		case "messages":
			return (
				<Section title={texts.section[part.title]}>
					<MessageList messages={part.messages} label={texts.section[part.title]} />
				</Section>
			);
		case "value":
			return (
				<Section title={texts.section[part.title]} aside={<CopyButton text={asText(part.value)} className="size-6" />}>
					<ValueContent value={part.value} label={texts.section[part.title]} text={part.text} />
				</Section>
			);
		case "documents":
			return (
				<Section title={`${texts.section.documents} (${part.documents.length})`}>
					<DocumentList documents={part.documents} />
				</Section>
			);
		case "embeddings":
			return <Embeddings embeddings={part.embeddings} />;
		case "prompt-template":
			return <PromptTemplate template={part.template} />;
		case "nothing":
			return (
				<p className="text-muted">
					{texts.nothing} {texts.nothingText}
				</p>
			);
	}
}

function NotCaptured({ convention }: { convention: string }): ReactNode {
	const known = convention === "genai-legacy-indexed" ? "genai" : convention;
	const how = Object.hasOwn(texts.notCapturedHow, known) ? (known as keyof typeof texts.notCapturedHow) : "other";
	return (
		<div className="rounded bg-sunken px-3 py-2">
			<p className="font-semibold">{texts.notCaptured}</p>
			<p className="text-muted">{texts.notCapturedHow[how]}</p>
		</div>
	);
}

function Tool({ tool }: { tool: NonNullable<SpanDetail["semantic"]["tool"]> }): ReactNode {
	const parameters = tool.parameters as Json | undefined;
	if (!tool.name && !tool.description && parameters === undefined) return null;
	return (
		<Section title={texts.section.tool}>
			{tool.name && <p className="font-medium font-mono text-sm">{tool.name}</p>}
			{tool.description && <TextContent text={tool.description} className="text-muted" />}
			{tool.call_id && <p className="font-mono text-muted text-sm">{texts.callId(tool.call_id)}</p>}
			{isFilled(parameters) && isContainer(parameters) && (
				<JsonTree value={{ [texts.fact.parameters]: parameters }} label={texts.fact.parameters} lines={1} />
			)}
		</Section>
	);
}

const TEXTS_LISTED = 50;

function Embeddings({ embeddings }: { embeddings: NonNullable<SpanDetail["semantic"]["embeddings"]> }): ReactNode {
	const list = embeddings.texts ?? [];
	const count = [
		list.length > 0 && texts.embeddedTexts(list.length),
		embeddings.vectors !== undefined && texts.vectors(embeddings.vectors, embeddings.dimension),
	].filter((text) => text !== false);
	return (
		<Section title={texts.section.embeddings} aside={<span className="text-muted text-sm">{count.join(", ")}</span>}>
			<ol className="flex flex-col gap-1.5">
				{list.slice(0, TEXTS_LISTED).map((text, index) => (
					<li key={index}>
						<TextContent text={text} plain screenful={{ characters: 600, lines: 6 }} />
					</li>
				))}
			</ol>
			{list.length > TEXTS_LISTED && (
				<p className="text-muted text-sm">{texts.furtherTexts(list.length - TEXTS_LISTED)}</p>
			)}
		</Section>
	);
}

function PromptTemplate({ template }: { template: NonNullable<SpanDetail["semantic"]["prompt_template"]> }): ReactNode {
	const variables = template.variables as Json | undefined;
	return (
		<Section
			title={texts.section.promptTemplate}
			aside={template.version && <span className="text-muted text-sm">{template.version}</span>}
		>
			{template.template && <TextContent text={template.template} plain />}
			{isFilled(variables) && (
				<div className="mt-1.5">
					<p className="text-muted text-sm">{texts.section.variables}</p>
					{isContainer(variables) ? (
						<JsonTree value={variables} label={texts.section.variables} />
					) : (
						<ValueContent value={variables} label={texts.section.variables} />
					)}
				</div>
			)}
		</Section>
	);
}
