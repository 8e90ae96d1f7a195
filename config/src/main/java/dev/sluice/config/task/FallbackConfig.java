package dev.sluice.config.task;

import java.nio.file.Path;
import java.util.List;

/**
 * The way back that is armed before a cutover: section {@code fallback} of a task file. Immutable;
 * prints no secret.
 *
 * @param user the role that applies the way back on the old source. It alone passes the triggers
 *     that a cutover leaves there
 * @param readerUser the role that reads the log of the new side
 * @param dataDir of the daemon of the way back, absolute
 * @param httpOrigins where browsers reach its page through a proxy with TLS
 * @param hooks of the cutover back
 */
public record FallbackConfig(
    String user,
    Secret password,
    String readerUser,
    Secret readerPassword,
    Path dataDir,
    HttpAddress http,
    List<ExternalOrigin> httpOrigins,
    CutoverConfig hooks) {
  public FallbackConfig {
    httpOrigins = List.copyOf(httpOrigins);
  }
}
