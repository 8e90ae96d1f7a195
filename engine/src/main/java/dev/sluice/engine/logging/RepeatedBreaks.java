package dev.sluice.engine.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;

/** Keeps out of the log what libraries say of a break that Sluice reports itself. */
public final class RepeatedBreaks extends Filter<ILoggingEvent> {
  @Override
  public FilterReply decide(ILoggingEvent event) {
    return StackTraces.repeats(event) ? FilterReply.DENY : FilterReply.NEUTRAL;
  }
}
