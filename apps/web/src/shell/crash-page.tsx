import type { ErrorComponentProps } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isNotFetched } from "../lib/load-part.ts";
import { texts } from "../texts/en.ts";
import { Button } from "../ui/button.tsx";
import { buttonClass } from "../ui/button-class.ts";
import { EmptyState } from "../ui/empty-state.tsx";

/** Shown in place of a page that threw, or that could not be fetched; the shell stays. */
export function CrashPage({ error }: ErrorComponentProps): ReactNode {
	const message = error instanceof Error ? error.message : String(error);
	const { crashed, crashedText, notFetched, notFetchedText } = texts.error;
	const [title, text] = isNotFetched(error) ? [notFetched, notFetchedText] : [crashed, crashedText];
	return (
		<main className="p-6" role="alert">
			<h1 className="sr-only">{title}</h1>
			<EmptyState
				title={title}
				text={text}
				actions={
					<>
						<Button look="primary" onClick={() => location.reload()}>
							{texts.action.reload}
						</Button>
						<Link to="/" className={buttonClass()}>
							{texts.error.back}
						</Link>
					</>
				}
			>
				<pre className="mt-3 max-w-full overflow-auto rounded bg-sunken p-3 text-left font-mono text-sm">{message}</pre>
			</EmptyState>
		</main>
	);
}
