import { localSetting } from "./local-setting.ts";

/** Reviews that wait in this browser for the server, as JSON; see `reviewing/outbox.ts`. */
export const waitingReviews = localSetting("waiting-reviews");
