import type { ReactNode } from "react";
import { ItemPage } from "../pages/reviews/item-page.tsx";
import { ReviewPage } from "../pages/reviews/review-page.tsx";
import { loadTargetsAhead, ReviewTarget } from "./review-target.tsx";

/** Reviewing with the trace view beside the form; pages do not import each other, so they meet here. */
export function ReviewRoute(): ReactNode {
	return <ReviewPage Target={ReviewTarget} loadAhead={loadTargetsAhead} />;
}

/** An item of a queue with the trace view beside the answers. */
export function ReviewItemRoute(): ReactNode {
	return <ItemPage Target={ReviewTarget} />;
}
