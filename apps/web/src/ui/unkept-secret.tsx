// biome-ignore lint/suspicious/noDeprecatedImports: only another overload of it is deprecated
import { useBlocker } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { Button } from "./button.tsx";

const TEXTS = texts.unkept;

/** Holds back whoever leaves the page before they have a secret that cannot be shown again. */
export function useUnkeptSecret(isUnkept: boolean) {
	return useBlocker({ shouldBlockFn: () => isUnkept, enableBeforeUnload: () => isUnkept, withResolver: true });
}

/** Asks who would go without a secret that cannot be shown again. */
export function UnkeptSecret({
	label,
	onStay,
	onLeave,
}: {
	/** What the secret is. */
	label: string;
	onStay: () => void;
	onLeave: () => void;
}): ReactNode {
	return (
		<div role="alert" className="flex flex-col gap-3 p-4">
			<p>{TEXTS.ask(label)}</p>
			<div className="flex flex-wrap justify-end gap-2">
				<Button autoFocus onClick={onStay}>
					{TEXTS.back}
				</Button>
				<Button look="danger" onClick={onLeave}>
					{TEXTS.without}
				</Button>
			</div>
		</div>
	);
}
