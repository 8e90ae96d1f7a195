package dev.sluice.engine.capture;

import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.sink.control.schema.Checkpoint;
import java.util.Optional;

/** Which server the source is, as checkpoints record it. Stateless. */
public final class ServerOfSource {
  private ServerOfSource() {}

  /** The present server. */
  public static Checkpoint.SourceServer now(Source source) {
    return of(source.identity());
  }

  /** Whether the source is another server than the checkpoint's. */
  public static boolean isAnother(Source source, Checkpoint claimed) {
    return claimed
        .source()
        .filter(then -> !then.equals(of(comparedWith(claimed.source(), source))))
        .isPresent();
  }

  /**
   * The present identity, in the form of a recorded one.
   *
   * @param then with which it is compared
   */
  static SourceIdentity comparedWith(Optional<Checkpoint.SourceServer> then, Source source) {
    return then.map(known -> source.identityAs(known.systemIdentifier()))
        .orElseGet(source::identity);
  }

  static Checkpoint.SourceServer of(SourceIdentity identity) {
    return new Checkpoint.SourceServer(identity.system(), identity.timeline());
  }
}
