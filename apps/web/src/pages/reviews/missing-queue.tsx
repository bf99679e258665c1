import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { notHere } from "../../lib/not-here.ts";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { EmptyState } from "../../ui/empty-state.tsx";

/** In place of a queue that is not there. */
export function MissingQueue(): ReactNode {
	return (
		<EmptyState
			{...notHere({ title: TEXTS.missing, text: TEXTS.missingText })}
			actions={
				<Link to="/reviews" className={buttonClass()}>
					{TEXTS.backToList}
				</Link>
			}
		/>
	);
}
