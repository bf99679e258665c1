import { type ReactNode, useState } from "react";
import { config } from "../lib/config.ts";
import { texts } from "../texts/en.ts";
import { CopyButton } from "./copy-button.tsx";
import { Tabs } from "./tabs.tsx";

type Language = "python" | "typescript" | "otel";

interface Snippet {
	readonly install: string;
	readonly code: string;
}

function snippets(origin: string, project: string): Record<Language, Snippet> {
	const name = JSON.stringify(project);
	return {
		python: {
			install: "pip install arize-phoenix-otel",
			code: `from phoenix.otel import register

tracer_provider = register(
    endpoint="${origin}/v1/traces",
    project_name=${name},
)
tracer = tracer_provider.get_tracer("hello")


@tracer.chain
def answer(question: str) -> str:
    return f"You asked: {question}"


print(answer("Does it arrive?"))`,
		},
		typescript: {
			install: "npm install @arizeai/phoenix-otel",
			code: `// hello.mts, run with: npx tsx hello.mts
import { register, traceChain } from "@arizeai/phoenix-otel";

const provider = register({
  url: "${origin}",
  projectName: ${name},
});

const answer = traceChain(async (question: string) => \`You asked: \${question}\`, {
  name: "answer",
});

console.log(await answer("Does it arrive?"));
await provider.shutdown();`,
		},
		otel: {
			install: "",
			code: `export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${origin}/v1/traces
export OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf
export OTEL_RESOURCE_ATTRIBUTES=openinference.project.name=${encodeURIComponent(project)}`,
		},
	};
}

/** Says that the page listens, and what to paste into an application to send the first span. */
export function WaitingForSpan({ title, project }: { title: string; project: string }): ReactNode {
	const [language, setLanguage] = useState<Language>("python");
	const all = snippets(config.origin, project);
	const panel = (key: Language) => <SnippetView snippet={all[key]} />;
	return (
		<section aria-label={title} className="mx-auto flex w-full max-w-2xl flex-col gap-3 px-4 py-10">
			<h2 role="status" className="flex items-center gap-2.5 font-semibold text-lg">
				<span aria-hidden className="relative flex size-2.5">
					<span className="absolute inline-flex size-full rounded-full bg-accent opacity-60 motion-safe:animate-ping" />
					<span className="relative inline-flex size-2.5 rounded-full bg-accent" />
				</span>
				{title}
			</h2>
			<p className="text-muted">{texts.waiting.text}</p>
			<Tabs
				label={texts.waiting.code}
				value={language}
				onChange={setLanguage}
				className="overflow-hidden rounded-md border border-line"
				items={[
					{ value: "python", label: texts.waiting.python, content: panel("python") },
					{ value: "typescript", label: texts.waiting.typescript, content: panel("typescript") },
					{ value: "otel", label: texts.waiting.otel, content: panel("otel") },
				]}
			/>
		</section>
	);
}

function SnippetView({ snippet }: { snippet: Snippet }): ReactNode {
	return (
		<div className="flex flex-col gap-2 bg-sunken p-3">
			{snippet.install && <Code text={snippet.install} label={texts.waiting.install} />}
			<Code text={snippet.code} label={texts.waiting.code} />
		</div>
	);
}

function Code({ text, label }: { text: string; label: string }): ReactNode {
	return (
		<div className="relative">
			{/* Scrolls sideways, so the keyboard must reach it. */}
			<section
				// biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable
				tabIndex={0}
				aria-label={label}
				className="overflow-x-auto rounded border border-line bg-surface p-3 pr-11"
			>
				<pre className="font-mono text-sm leading-5">{text}</pre>
			</section>
			<CopyButton text={text} label={texts.action.copyNamed(label)} className="absolute top-1.5 right-1.5 bg-surface" />
		</div>
	);
}
