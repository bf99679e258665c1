import type { ReactNode } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { StackTrace } from "../../ui/content/stack-trace-view.tsx";
import { TextContent } from "../../ui/content/text-content.tsx";

export interface SpanError {
	readonly type?: string | undefined;
	readonly message?: string | undefined;
	readonly stacktrace?: string | undefined;
}

/** An error with its type, message and stack trace. */
export function ErrorBox({ error }: { error: SpanError }): ReactNode {
	return (
		<section className="min-w-0 rounded bg-danger-soft px-3 py-2">
			<h4 className="break-words font-semibold text-danger">{error.type ?? texts.section.error}</h4>
			{error.message
				? error.message !== error.type && <TextContent text={error.message} plain />
				: !error.type && !error.stacktrace && <p className="text-muted">{texts.errorUnknown}</p>}
			{error.stacktrace && <StackTrace text={error.stacktrace} className="mt-2" />}
		</section>
	);
}
