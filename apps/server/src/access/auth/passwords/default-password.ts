/** First password of `admin@localhost` where `SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD` is unset (specification): everybody knows it. */
export const DEFAULT_ADMIN_PASSWORD = "admin";
