import type { ReactNode } from "react";
import { dataTexts } from "../../texts/data-en.ts";
import { texts } from "../../texts/en.ts";
import { Chip } from "../../ui/chip.tsx";
import { formatJson, type Json } from "../../ui/content/json-value.ts";
import { ReadableValue } from "../../ui/content/readable-value.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Content } from "./example-query.ts";

const NAMES = dataTexts.examples.column;

/** Input, output and metadata of an example or of one of its revisions. */
export function ExampleContent({ content }: { content: Content & { readonly splits?: readonly string[] } }): ReactNode {
	const { input, output, metadata, splits = [] } = content;
	return (
		<div className="flex flex-col gap-4 p-3">
			<Part title={NAMES.input} value={input} />
			<Part title={NAMES.output} value={output} />
			<Part title={NAMES.metadata} value={metadata} />
			{splits.length > 0 && (
				<section aria-label={NAMES.splits} className="flex flex-wrap items-center gap-1">
					<h3 className="mr-1 font-semibold text-muted text-sm">{NAMES.splits}</h3>
					{splits.map((split) => (
						<Chip key={split}>{split}</Chip>
					))}
				</section>
			)}
		</div>
	);
}

function Part({ title, value }: { title: string; value: Json }): ReactNode {
	return (
		<section aria-label={title} className="min-w-0">
			<div className="mb-1 flex h-6 items-center gap-1">
				<h3 className="font-semibold text-muted text-sm">{title}</h3>
				<CopyButton text={formatJson(value)} label={texts.action.copyNamed(title)} className="size-6" />
			</div>
			<ReadableValue value={value} label={title} />
		</section>
	);
}
