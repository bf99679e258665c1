// biome-ignore-all lint/performance/noBarrelFile: it is loaded as one file
/** The pages of review queues, which are loaded together: who opens one soon opens another. */
export { AgreementPage } from "../pages/reviews/agreement-page.tsx";
export { CalibrationPage } from "../pages/reviews/calibration-page.tsx";
export { DisagreementsPage } from "../pages/reviews/disagreements-page.tsx";
export { ItemsPage } from "../pages/reviews/items-page.tsx";
export { NewQueuePage } from "../pages/reviews/new-queue-page.tsx";
export { ProgressPage } from "../pages/reviews/progress-page.tsx";
export { QueueLayout } from "../pages/reviews/queue-layout.tsx";
export { ReviewsPage } from "../pages/reviews/reviews-page.tsx";
export { QueueSettingsPage } from "../pages/reviews/settings-page.tsx";
