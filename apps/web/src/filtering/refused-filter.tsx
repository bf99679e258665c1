import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

/** Shown in place of a list whose filter the server refused; the search field says why. */
export function RefusedFilter({ onClear }: { onClear: () => void }): ReactNode {
	return (
		<EmptyState
			title={texts.filter.refused}
			text={texts.filter.refusedText}
			className="pt-32"
			actions={
				<Button look="primary" onClick={onClear}>
					{texts.filter.clear}
				</Button>
			}
		/>
	);
}
