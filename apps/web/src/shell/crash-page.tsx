import type { ErrorComponentProps } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

/** Instead of a page that threw; the shell stays. */
export function CrashPage({ error }: ErrorComponentProps): ReactNode {
	return (
		<main className="p-6" role="alert">
			<h1 className="sr-only">{texts.error.crashed}</h1>
			<EmptyState
				title={texts.error.crashed}
				text={texts.error.crashedText}
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
				<pre className="mt-3 max-w-full overflow-auto rounded bg-sunken p-3 text-left font-mono text-sm">
					{error instanceof Error ? error.message : String(error)}
				</pre>
			</EmptyState>
		</main>
	);
}
