/* reveal.js 6.0.2 (MIT) with parts of others; licences: reveal.LICENSES.txt */
var Talk=(()=>{var We=Object.defineProperty;var ci=Object.getOwnPropertyDescriptor;var hi=Object.getOwnPropertyNames;var ui=Object.prototype.hasOwnProperty;var pi=(e,t,n)=>t in e?We(e,t,{enumerable:!0,configurable:!0,writable:!0,value:n}):e[t]=n;var gi=(e,t)=>{for(var n in t)We(e,n,{get:t[n],enumerable:!0})},mi=(e,t,n,i)=>{if(t&&typeof t=="object"||typeof t=="function")for(let s of hi(t))!ui.call(e,s)&&s!==n&&We(e,s,{get:()=>t[s],enumerable:!(i=ci(t,s))||i.enumerable});return e};var vi=e=>mi(We({},"__esModule",{value:!0}),e);var N=(e,t,n)=>pi(e,typeof t!="symbol"?t+"":t,n);var qs={};gi(qs,{Notes:()=>$n,Reveal:()=>de});var Ee=(e,t)=>{for(let n in t)e[n]=t[n];return e},k=(e,t)=>Array.from(e.querySelectorAll(t)),ut=(e,t,n)=>{n?e.classList.add(t):e.classList.remove(t)},Se=e=>{if(typeof e=="string"){if(e==="null")return null;if(e==="true")return!0;if(e==="false")return!1;if(e.match(/^-?[\d\.]+$/))return parseFloat(e)}return e},pe=(e,t)=>{e.style.transform=t},_e=(e,t)=>{let n=e.matches||e.matchesSelector||e.msMatchesSelector;return!!(n&&n.call(e,t))},W=(e,t)=>{if(e&&typeof e.closest=="function")return e.closest(t);for(;e;){if(_e(e,t))return e;e=e.parentElement}return null},bn=e=>{e=e||document.documentElement;let t=e.requestFullscreen||e.webkitRequestFullscreen||e.webkitRequestFullScreen||e.mozRequestFullScreen||e.msRequestFullscreen;t&&t.apply(e)},fi=(e,t,n,i="")=>{let s=e.querySelectorAll("."+n);for(let r=0;r<s.length;r++){let o=s[r];if(o.parentNode===e)return o}let a=document.createElement(t);return a.className=n,a.innerHTML=i,e.appendChild(a),a},mt=e=>{let t=document.createElement("style");return e&&e.length>0&&t.appendChild(document.createTextNode(e)),document.head.appendChild(t),t},cn=()=>{let e={};location.search.replace(/[A-Z0-9]+?=([\w\.%-]*)/gi,t=>{let n=t.split("=").shift(),i=t.split("=").pop();return n&&i!==void 0&&(e[n]=i),t});for(let t in e){let n=e[t];e[t]=Se(unescape(n))}return e.dependencies!==void 0&&delete e.dependencies,e},bi=(e,t=0)=>{if(e){var n;let i,s=e.style.height;return e.style.height="0px",e.parentElement&&(e.parentElement.style.height="auto"),i=t-(((n=e.parentElement)==null?void 0:n.offsetHeight)||0),e.style.height=s+"px",e.parentElement&&e.parentElement.style.removeProperty("height"),i}return t},yi={mp4:"video/mp4",m4a:"video/mp4",ogv:"video/ogg",mpeg:"video/mpeg",webm:"video/webm"},wi=(e="")=>{let t=e.split(".").pop();return t?yi[t]:void 0},ki=(e="")=>encodeURI(e).replace(/%5B/g,"[").replace(/%5D/g,"]").replace(/[!'()*]/g,t=>`%${t.charCodeAt(0).toString(16).toUpperCase()}`),Ke=navigator.userAgent,ve=/(iphone|ipod|ipad|android)/gi.test(Ke)||navigator.platform==="MacIntel"&&navigator.maxTouchPoints>1;/chrome/i.test(Ke)&&/edge/i.test(Ke);var yn=/android/gi.test(Ke),Si=(function(e){if(e){var t=function(v){return[].slice.call(v)},n=0,i=1,s=2,a=3,r=[],o=null,l="requestAnimationFrame"in e?function(){var v=arguments.length>0&&arguments[0]!==void 0?arguments[0]:{sync:!1};e.cancelAnimationFrame(o);var x=function(){return p(r.filter((function(M){return M.dirty&&M.active})))};if(v.sync)return x();o=e.requestAnimationFrame(x)}:function(){},d=function(v){return function(x){r.forEach((function(M){return M.dirty=v})),l(x)}},p=function(v){v.filter((function(M){return!M.styleComputed})).forEach((function(M){M.styleComputed=h(M)})),v.filter(S).forEach(P);var x=v.filter(w);x.forEach(m),x.forEach((function(M){P(M),g(M)})),x.forEach(D)},g=function(v){return v.dirty=n},m=function(v){v.availableWidth=v.element.parentNode.clientWidth,v.currentWidth=v.element.scrollWidth,v.previousFontSize=v.currentFontSize,v.currentFontSize=Math.min(Math.max(v.minSize,v.availableWidth/v.currentWidth*v.previousFontSize),v.maxSize),v.whiteSpace=v.multiLine&&v.currentFontSize===v.minSize?"normal":"nowrap"},w=function(v){return v.dirty!==s||v.dirty===s&&v.element.parentNode.clientWidth!==v.availableWidth},h=function(v){var x=e.getComputedStyle(v.element,null);return v.currentFontSize=parseFloat(x.getPropertyValue("font-size")),v.display=x.getPropertyValue("display"),v.whiteSpace=x.getPropertyValue("white-space"),!0},S=function(v){var x=!1;return!v.preStyleTestCompleted&&(/inline-/.test(v.display)||(x=!0,v.display="inline-block"),v.whiteSpace!=="nowrap"&&(x=!0,v.whiteSpace="nowrap"),v.preStyleTestCompleted=!0,x)},P=function(v){v.element.style.whiteSpace=v.whiteSpace,v.element.style.display=v.display,v.element.style.fontSize=v.currentFontSize+"px"},D=function(v){v.element.dispatchEvent(new CustomEvent("fit",{detail:{oldValue:v.previousFontSize,newValue:v.currentFontSize,scaleFactor:v.currentFontSize/v.previousFontSize}}))},Z=function(v,x){return function(M){v.dirty=x,v.active&&l(M)}},re=function(v){return function(){r=r.filter((function(x){return x.element!==v.element})),v.observeMutations&&v.observer.disconnect(),v.element.style.whiteSpace=v.originalStyle.whiteSpace,v.element.style.display=v.originalStyle.display,v.element.style.fontSize=v.originalStyle.fontSize}},j=function(v){return function(){v.active||(v.active=!0,l())}},E=function(v){return function(){return v.active=!1}},B=function(v){v.observeMutations&&(v.observer=new MutationObserver(Z(v,i)),v.observer.observe(v.element,v.observeMutations))},_={minSize:16,maxSize:512,multiLine:!0,observeMutations:"MutationObserver"in e&&{subtree:!0,childList:!0,characterData:!0}},z=null,O=function(){e.clearTimeout(z),z=e.setTimeout(d(s),R.observeWindowDelay)},A=["resize","orientationchange"];return Object.defineProperty(R,"observeWindow",{set:function(v){var x=`${v?"add":"remove"}EventListener`;A.forEach((function(M){e[x](M,O)}))}}),R.observeWindow=!0,R.observeWindowDelay=100,R.fitAll=d(a),R}function U(v,x){var M=Object.assign({},_,x),ie=v.map((function(Q){var ce=Object.assign({},M,{element:Q,active:!0});return(function(F){F.originalStyle={whiteSpace:F.element.style.whiteSpace,display:F.element.style.display,fontSize:F.element.style.fontSize},B(F),F.newbie=!0,F.dirty=!0,r.push(F)})(ce),{element:Q,fit:Z(ce,a),unfreeze:j(ce),freeze:E(ce),unsubscribe:re(ce)}}));return l(),ie}function R(v){var x=arguments.length>1&&arguments[1]!==void 0?arguments[1]:{};return typeof v=="string"?U(t(document.querySelectorAll(v)),x):U([v],x)[0]}})(typeof window>"u"?null:window);function Te(e){"@babel/helpers - typeof";return Te=typeof Symbol=="function"&&typeof Symbol.iterator=="symbol"?function(t){return typeof t}:function(t){return t&&typeof Symbol=="function"&&t.constructor===Symbol&&t!==Symbol.prototype?"symbol":typeof t},Te(e)}function Ei(e,t){if(Te(e)!="object"||!e)return e;var n=e[Symbol.toPrimitive];if(n!==void 0){var i=n.call(e,t||"default");if(Te(i)!="object")return i;throw TypeError("@@toPrimitive must return a primitive value.")}return(t==="string"?String:Number)(e)}function xi(e){var t=Ei(e,"string");return Te(t)=="symbol"?t:t+""}function ft(e,t,n){return(t=xi(t))in e?Object.defineProperty(e,t,{value:n,enumerable:!0,configurable:!0,writable:!0}):e[t]=n,e}var Ai=class{constructor(e){ft(this,"allowedToPlayAudio",null),this.Reveal=e,this.startEmbeddedMedia=this.startEmbeddedMedia.bind(this),this.startEmbeddedIframe=this.startEmbeddedIframe.bind(this),this.preventIframeAutoFocus=this.preventIframeAutoFocus.bind(this),this.ensureMobileMediaPlaying=this.ensureMobileMediaPlaying.bind(this),this.failedAudioPlaybackTargets=new Set,this.failedVideoPlaybackTargets=new Set,this.failedMutedVideoPlaybackTargets=new Set,this.renderMediaPlayButton()}renderMediaPlayButton(){this.mediaPlayButton=document.createElement("button"),this.mediaPlayButton.className="r-overlay-button r-media-play-button",this.mediaPlayButton.addEventListener("click",()=>{this.resetTemporarilyMutedMedia(),new Set([...this.failedAudioPlaybackTargets,...this.failedVideoPlaybackTargets,...this.failedMutedVideoPlaybackTargets]).forEach(e=>{this.startEmbeddedMedia({target:e})}),this.clearMediaPlaybackErrors()})}shouldPreload(e){if(this.Reveal.isScrollView())return!0;let t=this.Reveal.getConfig().preloadIframes;return typeof t!="boolean"&&(t=e.hasAttribute("data-preload")),t}load(e,t={}){let n=this.Reveal.getConfig().display;if(n.includes("!important")){let s=n.replace(/\s*!important\s*$/,"").trim();e.style.setProperty("display",s,"important")}else e.style.display=n;k(e,"img[data-src], video[data-src], audio[data-src], iframe[data-src]").forEach(s=>{let a=s.tagName==="IFRAME";(!a||this.shouldPreload(s))&&(s.setAttribute("src",s.getAttribute("data-src")),s.setAttribute("data-lazy-loaded",""),s.removeAttribute("data-src"),a&&s.addEventListener("load",this.preventIframeAutoFocus))}),k(e,"video, audio").forEach(s=>{let a=0;k(s,"source[data-src]").forEach(r=>{r.setAttribute("src",r.getAttribute("data-src")),r.removeAttribute("data-src"),r.setAttribute("data-lazy-loaded",""),a+=1}),ve&&s.tagName==="VIDEO"&&s.setAttribute("playsinline",""),a>0&&s.load()});let i=e.slideBackgroundElement;if(i){i.style.display="block";let s=e.slideBackgroundContentElement,a=e.getAttribute("data-background-iframe");if(i.hasAttribute("data-loaded")===!1){i.setAttribute("data-loaded","true");let o=e.getAttribute("data-background-image"),l=e.getAttribute("data-background-video"),d=e.hasAttribute("data-background-video-loop"),p=e.hasAttribute("data-background-video-muted");if(o)/^data:/.test(o.trim())?s.style.backgroundImage=`url(${o.trim()})`:s.style.backgroundImage=o.split(",").map(g=>`url(${ki(decodeURI(g.trim()))})`).join(",");else if(l){let g=document.createElement("video");d&&g.setAttribute("loop",""),(p||this.Reveal.isSpeakerNotes())&&(g.muted=!0),ve&&g.setAttribute("playsinline",""),l.split(",").forEach(m=>{let w=document.createElement("source");w.setAttribute("src",m);let h=wi(m);h&&w.setAttribute("type",h),g.appendChild(w)}),s.appendChild(g)}else if(a&&t.excludeIframes!==!0){let g=document.createElement("iframe");g.setAttribute("allowfullscreen",""),g.setAttribute("mozallowfullscreen",""),g.setAttribute("webkitallowfullscreen",""),g.setAttribute("allow","autoplay"),g.setAttribute("data-src",a),g.style.width="100%",g.style.height="100%",g.style.maxHeight="100%",g.style.maxWidth="100%",s.appendChild(g)}}let r=s.querySelector("iframe[data-src]");r&&this.shouldPreload(i)&&!/autoplay=(1|true|yes)/gi.test(a)&&r.getAttribute("src")!==a&&r.setAttribute("src",a)}this.layout(e)}layout(e){Array.from(e.querySelectorAll(".r-fit-text")).forEach(t=>{Si(t,{minSize:24,maxSize:this.Reveal.getConfig().height*.8,observeMutations:!1,observeWindow:!1})})}unload(e){e.style.display="none";let t=this.Reveal.getSlideBackground(e);t&&(t.style.display="none",k(t,"iframe[src]").forEach(n=>{n.removeAttribute("src")})),k(e,"video[data-lazy-loaded][src], audio[data-lazy-loaded][src], iframe[data-lazy-loaded][src]").forEach(n=>{n.setAttribute("data-src",n.getAttribute("src")),n.removeAttribute("src")}),k(e,"video[data-lazy-loaded] source[src], audio source[src]").forEach(n=>{n.setAttribute("data-src",n.getAttribute("src")),n.removeAttribute("src")})}formatEmbeddedContent(){let e=(t,n,i)=>{k(this.Reveal.getSlidesElement(),"iframe["+t+'*="'+n+'"]').forEach(s=>{let a=s.getAttribute(t);a&&a.indexOf(i)===-1&&s.setAttribute(t,a+(/\?/.test(a)?"&":"?")+i)})};e("src","youtube.com/embed/","enablejsapi=1"),e("data-src","youtube.com/embed/","enablejsapi=1"),e("src","player.vimeo.com/","api=1"),e("data-src","player.vimeo.com/","api=1")}startEmbeddedContent(e){if(e){let t=this.Reveal.isSpeakerNotes();k(e,'img[src$=".gif"]').forEach(n=>{n.setAttribute("src",n.getAttribute("src"))}),k(e,"video, audio").forEach(n=>{if(W(n,".fragment")&&!W(n,".fragment.visible"))return;let i=this.Reveal.getConfig().autoPlayMedia;if(typeof i!="boolean"&&(i=n.hasAttribute("data-autoplay")||!!W(n,".slide-background")),i&&typeof n.play=="function"){if(t&&!n.muted)return;n.readyState>1?this.startEmbeddedMedia({target:n}):ve?(n.addEventListener("canplay",this.ensureMobileMediaPlaying),this.playMediaElement(n)):(n.removeEventListener("loadeddata",this.startEmbeddedMedia),n.addEventListener("loadeddata",this.startEmbeddedMedia))}}),t||(k(e,"iframe[src]").forEach(n=>{W(n,".fragment")&&!W(n,".fragment.visible")||this.startEmbeddedIframe({target:n})}),k(e,"iframe[data-src]").forEach(n=>{W(n,".fragment")&&!W(n,".fragment.visible")||n.getAttribute("src")!==n.getAttribute("data-src")&&(n.removeEventListener("load",this.startEmbeddedIframe),n.addEventListener("load",this.startEmbeddedIframe),n.setAttribute("src",n.getAttribute("data-src")))}))}}ensureMobileMediaPlaying(e){let t=e.target;typeof t.getVideoPlaybackQuality=="function"&&setTimeout(()=>{let n=t.paused===!1,i=t.getVideoPlaybackQuality().totalVideoFrames;n&&i===0&&(t.load(),t.play())},1e3)}startEmbeddedMedia(e){let t=!!W(e.target,"html"),n=!!W(e.target,".present");t&&n&&(e.target.paused||e.target.ended)&&(e.target.currentTime=0,this.playMediaElement(e.target)),e.target.removeEventListener("loadeddata",this.startEmbeddedMedia)}playMediaElement(e){let t=e.play();t&&typeof t.catch=="function"&&t.then(()=>{e.muted||(this.allowedToPlayAudio=!0)}).catch(n=>{if(n.name==="NotAllowedError")if(this.allowedToPlayAudio=!1,e.tagName==="VIDEO"){this.onVideoPlaybackNotAllowed(e);let i=!!W(e,"html"),s=!!W(e,".present"),a=e.muted;i&&s&&!a&&(e.setAttribute("data-muted-by-reveal","true"),e.muted=!0,e.play().catch(()=>{this.onMutedVideoPlaybackNotAllowed(e)}))}else e.tagName==="AUDIO"&&this.onAudioPlaybackNotAllowed(e)})}startEmbeddedIframe(e){let t=e.target;if(this.preventIframeAutoFocus(e),t&&t.contentWindow){let n=!!W(e.target,"html"),i=!!W(e.target,".present");if(n&&i){let s=this.Reveal.getConfig().autoPlayMedia;typeof s!="boolean"&&(s=t.hasAttribute("data-autoplay")||!!W(t,".slide-background")),/youtube\.com\/embed\//.test(t.getAttribute("src"))&&s?t.contentWindow.postMessage('{"event":"command","func":"playVideo","args":""}',"*"):/player\.vimeo\.com\//.test(t.getAttribute("src"))&&s?t.contentWindow.postMessage('{"method":"play"}',"*"):t.contentWindow.postMessage("slide:start","*")}}}stopEmbeddedContent(e,t={}){t=Ee({unloadIframes:!0},t),e&&e.parentNode&&(k(e,"video, audio").forEach(n=>{!n.hasAttribute("data-ignore")&&typeof n.pause=="function"&&(n.setAttribute("data-paused-by-reveal",""),n.pause(),ve&&n.removeEventListener("canplay",this.ensureMobileMediaPlaying))}),k(e,"iframe").forEach(n=>{n.contentWindow&&n.contentWindow.postMessage("slide:stop","*"),n.removeEventListener("load",this.preventIframeAutoFocus),n.removeEventListener("load",this.startEmbeddedIframe)}),k(e,'iframe[src*="youtube.com/embed/"]').forEach(n=>{!n.hasAttribute("data-ignore")&&n.contentWindow&&typeof n.contentWindow.postMessage=="function"&&n.contentWindow.postMessage('{"event":"command","func":"pauseVideo","args":""}',"*")}),k(e,'iframe[src*="player.vimeo.com/"]').forEach(n=>{!n.hasAttribute("data-ignore")&&n.contentWindow&&typeof n.contentWindow.postMessage=="function"&&n.contentWindow.postMessage('{"method":"pause"}',"*")}),t.unloadIframes===!0&&k(e,"iframe[data-src]").forEach(n=>{n.setAttribute("src","about:blank"),n.removeAttribute("src")}))}isAllowedToPlayAudio(){return this.allowedToPlayAudio}showPlayOrUnmuteButton(){let e=this.failedAudioPlaybackTargets.size,t=this.failedVideoPlaybackTargets.size,n=this.failedMutedVideoPlaybackTargets.size,i="Play media";n>0?i="Play video":t>0?i="Unmute video":e>0&&(i="Play audio"),this.mediaPlayButton.textContent=i,this.Reveal.getRevealElement().appendChild(this.mediaPlayButton)}onAudioPlaybackNotAllowed(e){this.failedAudioPlaybackTargets.add(e),this.showPlayOrUnmuteButton(e)}onVideoPlaybackNotAllowed(e){this.failedVideoPlaybackTargets.add(e),this.showPlayOrUnmuteButton()}onMutedVideoPlaybackNotAllowed(e){this.failedMutedVideoPlaybackTargets.add(e),this.showPlayOrUnmuteButton()}resetTemporarilyMutedMedia(){new Set([...this.failedAudioPlaybackTargets,...this.failedVideoPlaybackTargets,...this.failedMutedVideoPlaybackTargets]).forEach(e=>{e.hasAttribute("data-muted-by-reveal")&&(e.muted=!1,e.removeAttribute("data-muted-by-reveal"))})}clearMediaPlaybackErrors(){this.resetTemporarilyMutedMedia(),this.failedAudioPlaybackTargets.clear(),this.failedVideoPlaybackTargets.clear(),this.failedMutedVideoPlaybackTargets.clear(),this.mediaPlayButton&&this.mediaPlayButton.parentNode&&this.mediaPlayButton.remove()}preventIframeAutoFocus(e){let t=e.target;if(t&&this.Reveal.getConfig().preventIframeAutoFocus){let n=0,i=()=>{document.activeElement===t?document.activeElement.blur():n<1e3&&(n+=100,setTimeout(i,100))};setTimeout(i,100)}}afterSlideChanged(){this.clearMediaPlaybackErrors()}},ge=".slides section",oe=".slides>section",pt=".slides>section.present>section",Ri=".backgrounds>.slide-background",Li=/registerPlugin|registerKeyboardShortcut|addKeyBinding|addEventListener|showPreview|previewIframe/,Ti=class{constructor(e){this.Reveal=e}render(){this.element=document.createElement("div"),this.element.className="slide-number",this.Reveal.getRevealElement().appendChild(this.element)}configure(e,t){let n="none";e.slideNumber&&!this.Reveal.isPrintView()&&(e.showSlideNumber==="all"||e.showSlideNumber==="speaker"&&this.Reveal.isSpeakerNotes())&&(n="block"),this.element.style.display=n}update(){this.Reveal.getConfig().slideNumber&&this.element&&(this.element.innerHTML=this.getSlideNumber())}getSlideNumber(e=this.Reveal.getCurrentSlide()){let t=this.Reveal.getConfig(),n,i="h.v";if(typeof t.slideNumber=="function")n=t.slideNumber(e);else{typeof t.slideNumber=="string"&&(i=t.slideNumber),!/c/.test(i)&&this.Reveal.getHorizontalSlides().length===1&&(i="c");let a=e&&e.dataset.visibility==="uncounted"?0:1;switch(n=[],i){case"c":n.push(this.Reveal.getSlidePastCount(e)+a);break;case"c/t":n.push(this.Reveal.getSlidePastCount(e)+a,"/",this.Reveal.getTotalSlides());break;default:let r=this.Reveal.getIndices(e);n.push(r.h+a);let o=i==="h/v"?"/":".";this.Reveal.isVerticalSlide(e)&&n.push(o,r.v+1)}}let s="#"+this.Reveal.location.getHash(e);return this.formatNumber(n[0],n[1],n[2],s)}formatNumber(e,t,n,i="#"+this.Reveal.location.getHash()){return typeof n=="number"&&!isNaN(n)?`<a href="${i}">
					<span class="slide-number-a">${e}</span>
					<span class="slide-number-delimiter">${t}</span>
					<span class="slide-number-b">${n}</span>
					</a>`:`<a href="${i}">
					<span class="slide-number-a">${e}</span>
					</a>`}destroy(){this.element.remove()}},Pi=class{constructor(e){this.Reveal=e,this.onInput=this.onInput.bind(this),this.onBlur=this.onBlur.bind(this),this.onKeyDown=this.onKeyDown.bind(this)}render(){this.element=document.createElement("div"),this.element.className="jump-to-slide",this.jumpInput=document.createElement("input"),this.jumpInput.type="text",this.jumpInput.className="jump-to-slide-input",this.jumpInput.placeholder="Jump to slide",this.jumpInput.addEventListener("input",this.onInput),this.jumpInput.addEventListener("keydown",this.onKeyDown),this.jumpInput.addEventListener("blur",this.onBlur),this.element.appendChild(this.jumpInput)}show(){this.indicesOnShow=this.Reveal.getIndices(),this.Reveal.getRevealElement().appendChild(this.element),this.jumpInput.focus()}hide(){this.isVisible()&&(this.element.remove(),this.jumpInput.value="",clearTimeout(this.jumpTimeout),delete this.jumpTimeout)}isVisible(){return!!this.element.parentNode}jump(){clearTimeout(this.jumpTimeout),delete this.jumpTimeout;let e=this.jumpInput.value.trim(""),t;if(/^\d+$/.test(e)){let n=this.Reveal.getConfig().slideNumber;if(n==="c"||n==="c/t"){let i=this.Reveal.getSlides()[parseInt(e,10)-1];i&&(t=this.Reveal.getIndices(i))}}return t||(/^\d+\.\d+$/.test(e)&&(e=e.replace(".","/")),t=this.Reveal.location.getIndicesFromHash(e,{oneBasedIndex:!0})),!t&&/\S+/i.test(e)&&e.length>1&&(t=this.search(e)),t&&e!==""?(this.Reveal.slide(t.h,t.v,t.f),!0):(this.Reveal.slide(this.indicesOnShow.h,this.indicesOnShow.v,this.indicesOnShow.f),!1)}jumpAfter(e){clearTimeout(this.jumpTimeout),this.jumpTimeout=setTimeout(()=>this.jump(),e)}search(e){let t=RegExp("\\b"+e.trim()+"\\b","i"),n=this.Reveal.getSlides().find(i=>t.test(i.innerText));return n?this.Reveal.getIndices(n):null}cancel(){this.Reveal.slide(this.indicesOnShow.h,this.indicesOnShow.v,this.indicesOnShow.f),this.hide()}confirm(){this.jump(),this.hide()}destroy(){this.jumpInput.removeEventListener("input",this.onInput),this.jumpInput.removeEventListener("keydown",this.onKeyDown),this.jumpInput.removeEventListener("blur",this.onBlur),this.element.remove()}onKeyDown(e){e.keyCode===13?this.confirm():e.keyCode===27&&(this.cancel(),e.stopImmediatePropagation())}onInput(e){this.jumpAfter(200)}onBlur(){setTimeout(()=>this.hide(),1)}},vt=e=>{let t=e.match(/^#([0-9a-f]{3})$/i);if(t&&t[1]){let a=t[1];return{r:parseInt(a.charAt(0),16)*17,g:parseInt(a.charAt(1),16)*17,b:parseInt(a.charAt(2),16)*17}}let n=e.match(/^#([0-9a-f]{6})$/i);if(n&&n[1]){let a=n[1];return{r:parseInt(a.slice(0,2),16),g:parseInt(a.slice(2,4),16),b:parseInt(a.slice(4,6),16)}}let i=e.match(/^rgb\s*\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)$/i);if(i)return{r:parseInt(i[1],10),g:parseInt(i[2],10),b:parseInt(i[3],10)};let s=e.match(/^rgba\s*\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*,\s*([\d]+|[\d]*.[\d]+)\s*\)$/i);return s?{r:parseInt(s[1],10),g:parseInt(s[2],10),b:parseInt(s[3],10),a:parseFloat(s[4])}:null},Ci=e=>(typeof e=="string"&&(e=vt(e)),e?(e.r*299+e.g*587+e.b*114)/1e3:null),Ii=class{constructor(e){this.Reveal=e}render(){this.element=document.createElement("div"),this.element.className="backgrounds",this.Reveal.getRevealElement().appendChild(this.element)}create(){this.element.innerHTML="",this.element.classList.add("no-transition"),this.Reveal.getHorizontalSlides().forEach(e=>{let t=this.createBackground(e,this.element);k(e,"section").forEach(n=>{this.createBackground(n,t),t.classList.add("stack")})}),this.Reveal.getConfig().parallaxBackgroundImage?(this.element.style.backgroundImage='url("'+this.Reveal.getConfig().parallaxBackgroundImage+'")',this.element.style.backgroundSize=this.Reveal.getConfig().parallaxBackgroundSize,this.element.style.backgroundRepeat=this.Reveal.getConfig().parallaxBackgroundRepeat,this.element.style.backgroundPosition=this.Reveal.getConfig().parallaxBackgroundPosition,setTimeout(()=>{this.Reveal.getRevealElement().classList.add("has-parallax-background")},1)):(this.element.style.backgroundImage="",this.Reveal.getRevealElement().classList.remove("has-parallax-background"))}createBackground(e,t){let n=document.createElement("div");n.className="slide-background "+e.className.replace(/present|past|future/,"");let i=document.createElement("div");return i.className="slide-background-content",n.appendChild(i),t.appendChild(n),e.slideBackgroundElement=n,e.slideBackgroundContentElement=i,this.sync(e),n}sync(e){let t=e.slideBackgroundElement,n=e.slideBackgroundContentElement,i={background:e.getAttribute("data-background"),backgroundSize:e.getAttribute("data-background-size"),backgroundImage:e.getAttribute("data-background-image"),backgroundVideo:e.getAttribute("data-background-video"),backgroundIframe:e.getAttribute("data-background-iframe"),backgroundColor:e.getAttribute("data-background-color"),backgroundGradient:e.getAttribute("data-background-gradient"),backgroundRepeat:e.getAttribute("data-background-repeat"),backgroundPosition:e.getAttribute("data-background-position"),backgroundTransition:e.getAttribute("data-background-transition"),backgroundOpacity:e.getAttribute("data-background-opacity")},s=e.hasAttribute("data-preload");e.classList.remove("has-dark-background"),e.classList.remove("has-light-background"),t.removeAttribute("data-loaded"),t.removeAttribute("data-background-hash"),t.removeAttribute("data-background-size"),t.removeAttribute("data-background-transition"),t.style.backgroundColor="",n.style.backgroundSize="",n.style.backgroundRepeat="",n.style.backgroundPosition="",n.style.backgroundImage="",n.style.opacity="",n.innerHTML="",i.background&&(/^(http|file|\/\/)/gi.test(i.background)||/\.(svg|png|jpg|jpeg|gif|bmp|webp)([?#\s]|$)/gi.test(i.background)?e.setAttribute("data-background-image",i.background):t.style.background=i.background),(i.background||i.backgroundColor||i.backgroundGradient||i.backgroundImage||i.backgroundVideo||i.backgroundIframe)&&t.setAttribute("data-background-hash",i.background+i.backgroundSize+i.backgroundImage+i.backgroundVideo+i.backgroundIframe+i.backgroundColor+i.backgroundGradient+i.backgroundRepeat+i.backgroundPosition+i.backgroundTransition+i.backgroundOpacity),i.backgroundSize&&t.setAttribute("data-background-size",i.backgroundSize),i.backgroundColor&&(t.style.backgroundColor=i.backgroundColor),i.backgroundGradient&&(t.style.backgroundImage=i.backgroundGradient),i.backgroundTransition&&t.setAttribute("data-background-transition",i.backgroundTransition),s&&t.setAttribute("data-preload",""),i.backgroundSize&&(n.style.backgroundSize=i.backgroundSize),i.backgroundRepeat&&(n.style.backgroundRepeat=i.backgroundRepeat),i.backgroundPosition&&(n.style.backgroundPosition=i.backgroundPosition),i.backgroundOpacity&&(n.style.opacity=i.backgroundOpacity);let a=this.getContrastClass(e);typeof a=="string"&&e.classList.add(a)}getContrastClass(e){let t=e.slideBackgroundElement,n=e.getAttribute("data-background-color");if(!n||!vt(n)){let i=window.getComputedStyle(t);i&&i.backgroundColor&&(n=i.backgroundColor)}if(n){let i=vt(n);if(i&&i.a!==0)return Ci(n)<128?"has-dark-background":"has-light-background"}return null}bubbleSlideContrastClassToElement(e,t){["has-light-background","has-dark-background"].forEach(n=>{e.classList.contains(n)?t.classList.add(n):t.classList.remove(n)},this)}update(e=!1){let t=this.Reveal.getConfig(),n=this.Reveal.getCurrentSlide(),i=this.Reveal.getIndices(),s=null,a=t.rtl?"future":"past",r=t.rtl?"past":"future";if(Array.from(this.element.childNodes).forEach((l,d)=>{l.classList.remove("past","present","future"),d<i.h?l.classList.add(a):d>i.h?l.classList.add(r):(l.classList.add("present"),s=l),(e||d===i.h)&&k(l,".slide-background").forEach((p,g)=>{p.classList.remove("past","present","future");let m=typeof i.v=="number"?i.v:0;g<m?p.classList.add("past"):g>m?p.classList.add("future"):(p.classList.add("present"),d===i.h&&(s=p))})}),this.previousBackground&&!this.previousBackground.closest("body")&&(this.previousBackground=null),s&&this.previousBackground){let l=this.previousBackground.getAttribute("data-background-hash"),d=s.getAttribute("data-background-hash");if(d&&d===l&&s!==this.previousBackground){this.element.classList.add("no-transition");let p=s.querySelector("video"),g=this.previousBackground.querySelector("video");if(p&&g){let m=p.parentNode;g.parentNode.appendChild(p),m.appendChild(g)}}}let o=s!==this.previousBackground;if(o&&this.previousBackground&&this.Reveal.slideContent.stopEmbeddedContent(this.previousBackground,{unloadIframes:!this.Reveal.slideContent.shouldPreload(this.previousBackground)}),o&&s){this.Reveal.slideContent.startEmbeddedContent(s);let l=s.querySelector(".slide-background-content");if(l){let d=l.style.backgroundImage||"";/\.gif/i.test(d)&&(l.style.backgroundImage="",window.getComputedStyle(l).opacity,l.style.backgroundImage=d)}this.previousBackground=s}n&&this.bubbleSlideContrastClassToElement(n,this.Reveal.getRevealElement()),setTimeout(()=>{this.element.classList.remove("no-transition")},10)}updateParallax(){let e=this.Reveal.getIndices();if(this.Reveal.getConfig().parallaxBackgroundImage){let t=this.Reveal.getHorizontalSlides(),n=this.Reveal.getVerticalSlides(),i=this.element.style.backgroundSize.split(" "),s,a;i.length===1?s=a=parseInt(i[0],10):(s=parseInt(i[0],10),a=parseInt(i[1],10));let r=this.element.offsetWidth,o=t.length,l,d;l=typeof this.Reveal.getConfig().parallaxBackgroundHorizontal=="number"?this.Reveal.getConfig().parallaxBackgroundHorizontal:o>1?(s-r)/(o-1):0,d=l*e.h*-1;let p=this.element.offsetHeight,g=n.length,m,w;m=typeof this.Reveal.getConfig().parallaxBackgroundVertical=="number"?this.Reveal.getConfig().parallaxBackgroundVertical:(a-p)/(g-1),w=g>0?m*e.v:0,this.element.style.backgroundPosition=d+"px "+-w+"px"}}destroy(){this.element.remove()}},hn=0,Mi=class{constructor(e){this.Reveal=e}run(e,t){this.reset();let n=this.Reveal.getSlides(),i=n.indexOf(t),s=n.indexOf(e);if(e&&t&&e.hasAttribute("data-auto-animate")&&t.hasAttribute("data-auto-animate")&&e.getAttribute("data-auto-animate-id")===t.getAttribute("data-auto-animate-id")&&!(i>s?t:e).hasAttribute("data-auto-animate-restart")){this.autoAnimateStyleSheet=this.autoAnimateStyleSheet||mt();let a=this.getAutoAnimateOptions(t);e.dataset.autoAnimate="pending",t.dataset.autoAnimate="pending",a.slideDirection=i>s?"forward":"backward";let r=e.style.display==="none";r&&(e.style.display=this.Reveal.getConfig().display);let o=this.getAutoAnimatableElements(e,t).map(l=>this.autoAnimateElements(l.from,l.to,l.options||{},a,hn++));if(r&&(e.style.display="none"),t.dataset.autoAnimateUnmatched!=="false"&&this.Reveal.getConfig().autoAnimateUnmatched===!0){let l=a.duration*.8,d=a.duration*.2;this.getUnmatchedAutoAnimateElements(t).forEach(p=>{let g=this.getAutoAnimateOptions(p,a),m="unmatched";(g.duration!==a.duration||g.delay!==a.delay)&&(m="unmatched-"+hn++,o.push(`[data-auto-animate="running"] [data-auto-animate-target="${m}"] { transition: opacity ${g.duration}s ease ${g.delay}s; }`)),p.dataset.autoAnimateTarget=m},this),o.push(`[data-auto-animate="running"] [data-auto-animate-target="unmatched"] { transition: opacity ${l}s ease ${d}s; }`)}this.autoAnimateStyleSheet.innerHTML=o.join(""),requestAnimationFrame(()=>{this.autoAnimateStyleSheet&&(getComputedStyle(this.autoAnimateStyleSheet).fontWeight,t.dataset.autoAnimate="running")}),this.Reveal.dispatchEvent({type:"autoanimate",data:{fromSlide:e,toSlide:t,sheet:this.autoAnimateStyleSheet}})}}reset(){k(this.Reveal.getRevealElement(),'[data-auto-animate]:not([data-auto-animate=""])').forEach(e=>{e.dataset.autoAnimate=""}),k(this.Reveal.getRevealElement(),"[data-auto-animate-target]").forEach(e=>{delete e.dataset.autoAnimateTarget}),this.autoAnimateStyleSheet&&this.autoAnimateStyleSheet.parentNode&&(this.autoAnimateStyleSheet.parentNode.removeChild(this.autoAnimateStyleSheet),this.autoAnimateStyleSheet=null)}autoAnimateElements(e,t,n,i,s){e.dataset.autoAnimateTarget="",t.dataset.autoAnimateTarget=s;let a=this.getAutoAnimateOptions(t,i);n.delay!==void 0&&(a.delay=n.delay),n.duration!==void 0&&(a.duration=n.duration),n.easing!==void 0&&(a.easing=n.easing);let r=this.getAutoAnimatableProperties("from",e,n),o=this.getAutoAnimatableProperties("to",t,n);if(t.classList.contains("fragment")&&delete o.styles.opacity,n.translate!==!1||n.scale!==!1){let p=this.Reveal.getScale(),g={x:(r.x-o.x)/p,y:(r.y-o.y)/p,scaleX:r.width/o.width,scaleY:r.height/o.height};g.x=Math.round(g.x*1e3)/1e3,g.y=Math.round(g.y*1e3)/1e3,g.scaleX=Math.round(g.scaleX*1e3)/1e3,g.scaleX=Math.round(g.scaleX*1e3)/1e3;let m=n.translate!==!1&&(g.x!==0||g.y!==0),w=n.scale!==!1&&(g.scaleX!==0||g.scaleY!==0);if(m||w){let h=[];m&&h.push(`translate(${g.x}px, ${g.y}px)`),w&&h.push(`scale(${g.scaleX}, ${g.scaleY})`),r.styles.transform=h.join(" "),r.styles["transform-origin"]="top left",o.styles.transform="none"}}for(let p in o.styles){let g=o.styles[p],m=r.styles[p];g===m?delete o.styles[p]:(g.explicitValue===!0&&(o.styles[p]=g.value),m.explicitValue===!0&&(r.styles[p]=m.value))}let l="",d=Object.keys(o.styles);if(d.length>0){r.styles.transition="none",o.styles.transition=`all ${a.duration}s ${a.easing} ${a.delay}s`,o.styles["transition-property"]=d.join(", "),o.styles["will-change"]=d.join(", ");let p=Object.keys(r.styles).map(m=>m+": "+r.styles[m]+" !important;").join(""),g=Object.keys(o.styles).map(m=>m+": "+o.styles[m]+" !important;").join("");l='[data-auto-animate-target="'+s+'"] {'+p+'}[data-auto-animate="running"] [data-auto-animate-target="'+s+'"] {'+g+"}"}return l}getAutoAnimateOptions(e,t){let n={easing:this.Reveal.getConfig().autoAnimateEasing,duration:this.Reveal.getConfig().autoAnimateDuration,delay:0};if(n=Ee(n,t),e.parentNode){let i=W(e.parentNode,"[data-auto-animate-target]");i&&(n=this.getAutoAnimateOptions(i,n))}return e.dataset.autoAnimateEasing&&(n.easing=e.dataset.autoAnimateEasing),e.dataset.autoAnimateDuration&&(n.duration=parseFloat(e.dataset.autoAnimateDuration)),e.dataset.autoAnimateDelay&&(n.delay=parseFloat(e.dataset.autoAnimateDelay)),n}getAutoAnimatableProperties(e,t,n){let i=this.Reveal.getConfig(),s={styles:[]};if(n.translate!==!1||n.scale!==!1){let r;if(typeof n.measure=="function")r=n.measure(t);else if(i.center)r=t.getBoundingClientRect();else{let o=this.Reveal.getScale();r={x:t.offsetLeft*o,y:t.offsetTop*o,width:t.offsetWidth*o,height:t.offsetHeight*o}}s.x=r.x,s.y=r.y,s.width=r.width,s.height=r.height}let a=getComputedStyle(t);return(n.styles||i.autoAnimateStyles).forEach(r=>{let o;typeof r=="string"&&(r={property:r}),r.from!==void 0&&e==="from"?o={value:r.from,explicitValue:!0}:r.to!==void 0&&e==="to"?o={value:r.to,explicitValue:!0}:(r.property==="line-height"&&(o=parseFloat(a["line-height"])/parseFloat(a["font-size"])),isNaN(o)&&(o=a[r.property])),o!==""&&(s.styles[r.property]=o)}),s}getAutoAnimatableElements(e,t){let n=(typeof this.Reveal.getConfig().autoAnimateMatcher=="function"?this.Reveal.getConfig().autoAnimateMatcher:this.getAutoAnimatePairs).call(this,e,t),i=[];return n.filter((s,a)=>{if(i.indexOf(s.to)===-1)return i.push(s.to),!0})}getAutoAnimatePairs(e,t){let n=[],i="h1, h2, h3, h4, h5, h6, p, li";return this.findAutoAnimateMatches(n,e,t,"[data-id]",s=>s.nodeName+":::"+s.getAttribute("data-id")),this.findAutoAnimateMatches(n,e,t,i,s=>s.nodeName+":::"+s.textContent.trim()),this.findAutoAnimateMatches(n,e,t,"img, video, iframe",s=>s.nodeName+":::"+(s.getAttribute("src")||s.getAttribute("data-src"))),this.findAutoAnimateMatches(n,e,t,"pre",s=>s.nodeName+":::"+s.textContent.trim()),n.forEach(s=>{_e(s.from,i)?s.options={scale:!1}:_e(s.from,"pre")&&(s.options={scale:!1,styles:["width","height"]},this.findAutoAnimateMatches(n,s.from,s.to,".hljs .hljs-ln-code",a=>a.textContent,{scale:!1,styles:[],measure:this.getLocalBoundingBox.bind(this)}),this.findAutoAnimateMatches(n,s.from,s.to,".hljs .hljs-ln-numbers[data-line-number]",a=>a.getAttribute("data-line-number"),{scale:!1,styles:["width"],measure:this.getLocalBoundingBox.bind(this)}))},this),n}getLocalBoundingBox(e){let t=this.Reveal.getScale();return{x:Math.round(e.offsetLeft*t*100)/100,y:Math.round(e.offsetTop*t*100)/100,width:Math.round(e.offsetWidth*t*100)/100,height:Math.round(e.offsetHeight*t*100)/100}}findAutoAnimateMatches(e,t,n,i,s,a){let r={},o={};[].slice.call(t.querySelectorAll(i)).forEach((l,d)=>{let p=s(l);typeof p=="string"&&p.length&&(r[p]=r[p]||[],r[p].push(l))}),[].slice.call(n.querySelectorAll(i)).forEach((l,d)=>{let p=s(l);o[p]=o[p]||[],o[p].push(l);let g;if(r[p]){let m=o[p].length-1,w=r[p].length-1;r[p][m]?(g=r[p][m],r[p][m]=null):r[p][w]&&(g=r[p][w],r[p][w]=null)}g&&e.push({from:g,to:l,options:a})})}getUnmatchedAutoAnimateElements(e){return[].slice.call(e.children).reduce((t,n)=>{let i=n.querySelector("[data-auto-animate-target]");return!n.hasAttribute("data-auto-animate-target")&&!i&&t.push(n),n.querySelector("[data-auto-animate-target]")&&(t=t.concat(this.getUnmatchedAutoAnimateElements(n))),t},[])}},Ni=500,Bi=4,zi=6,Hi=8,Di=class{constructor(e){this.Reveal=e,this.active=!1,this.activeProgressBarPage=null,this.activeProgressBarTrigger=null,this.activatedCallbacks=[],this.onScroll=this.onScroll.bind(this)}activate(){if(this.active)return;let e=this.Reveal.getState();this.active=!0,this.slideHTMLBeforeActivation=this.Reveal.getSlidesElement().innerHTML;let t=k(this.Reveal.getRevealElement(),oe),n=k(this.Reveal.getRevealElement(),Ri);this.viewportElement.classList.add("loading-scroll-mode","reveal-scroll");let i,s=window.getComputedStyle(this.viewportElement);s&&s.background&&(i=s.background);let a=[],r=t[0].parentNode,o,l=(d,p,g,m)=>{let w;if(o&&this.Reveal.shouldAutoAnimateBetween(o,d))w=document.createElement("div"),w.className="scroll-page-content scroll-auto-animate-page",w.style.display="none",o.closest(".scroll-page-content").parentNode.appendChild(w);else{let h=document.createElement("div");if(h.className="scroll-page",a.push(h),m&&n.length>p){let P=n[p],D=window.getComputedStyle(P);D&&D.background?h.style.background=D.background:i&&(h.style.background=i)}else i&&(h.style.background=i);let S=document.createElement("div");S.className="scroll-page-sticky",h.appendChild(S),w=document.createElement("div"),w.className="scroll-page-content",S.appendChild(w)}w.appendChild(d),d.classList.remove("past","future"),d.removeAttribute("inert"),d.setAttribute("data-index-h",p),d.setAttribute("data-index-v",g),d.slideBackgroundElement&&(d.slideBackgroundElement.remove("past","future"),w.insertBefore(d.slideBackgroundElement,d)),o=d};t.forEach((d,p)=>{this.Reveal.isVerticalStack(d)?d.querySelectorAll("section").forEach((g,m)=>{l(g,p,m,!0)}):l(d,p,0)},this),this.createProgressBar(),k(this.Reveal.getRevealElement(),".stack").forEach(d=>d.remove()),a.forEach(d=>r.appendChild(d)),this.Reveal.slideContent.layout(this.Reveal.getSlidesElement()),this.Reveal.layout(),this.Reveal.setState(e),this.activatedCallbacks.forEach(d=>d()),this.activatedCallbacks=[],this.restoreScrollPosition(),this.viewportElement.classList.remove("loading-scroll-mode"),this.viewportElement.addEventListener("scroll",this.onScroll,{passive:!0})}deactivate(){if(!this.active)return;let e=this.Reveal.getState();this.active=!1,this.viewportElement.removeEventListener("scroll",this.onScroll),this.viewportElement.classList.remove("reveal-scroll"),this.pendingScrollRaf&&(cancelAnimationFrame(this.pendingScrollRaf),this.pendingScrollRaf=0),this.removeProgressBar(),this.Reveal.getSlidesElement().innerHTML=this.slideHTMLBeforeActivation,this.Reveal.sync(),this.Reveal.setState(e),this.slideHTMLBeforeActivation=null}toggle(e){typeof e=="boolean"?e?this.activate():this.deactivate():this.isActive()?this.deactivate():this.activate()}isActive(){return this.active}createProgressBar(){this.progressBar=document.createElement("div"),this.progressBar.className="scrollbar",this.progressBarInner=document.createElement("div"),this.progressBarInner.className="scrollbar-inner",this.progressBar.appendChild(this.progressBarInner),this.progressBarPlayhead=document.createElement("div"),this.progressBarPlayhead.className="scrollbar-playhead",this.progressBarInner.appendChild(this.progressBarPlayhead),this.viewportElement.insertBefore(this.progressBar,this.viewportElement.firstChild);let e=n=>{let i=(n.clientY-this.progressBarInner.getBoundingClientRect().top)/this.progressBarHeight;i=Math.max(Math.min(i,1),0),this.viewportElement.scrollTop=i*(this.viewportElement.scrollHeight-this.viewportElement.offsetHeight)},t=n=>{this.draggingProgressBar=!1,this.showProgressBar(),document.removeEventListener("mousemove",e),document.removeEventListener("mouseup",t)};this.progressBarInner.addEventListener("mousedown",n=>{n.preventDefault(),this.draggingProgressBar=!0,document.addEventListener("mousemove",e),document.addEventListener("mouseup",t),e(n)})}removeProgressBar(){this.progressBar&&(this.progressBar.remove(),this.progressBar=null),this.activeProgressBarPage=null,this.activeProgressBarTrigger=null}layout(){this.isActive()&&(this.syncPages(),this.syncScrollPosition())}syncPages(){let e=this.Reveal.getConfig(),t=this.Reveal.getComputedSlideSize(window.innerWidth,window.innerHeight),n=this.Reveal.getScale(),i=e.scrollLayout==="compact",s=this.viewportElement.offsetHeight,a=t.height*n,r=i?a:s;this.scrollTriggerHeight=i?a:s,this.viewportElement.style.setProperty("--page-height",r+"px"),this.viewportElement.style.scrollSnapType=typeof e.scrollSnap=="string"?`y ${e.scrollSnap}`:"",this.slideTriggers=[];let o=Array.from(this.Reveal.getRevealElement().querySelectorAll(".scroll-page"));this.pages=o.map(l=>{let d=this.createPage({pageElement:l,slideElement:l.querySelector("section"),stickyElement:l.querySelector(".scroll-page-sticky"),contentElement:l.querySelector(".scroll-page-content"),backgroundElement:l.querySelector(".slide-background"),autoAnimateElements:l.querySelectorAll(".scroll-auto-animate-page"),autoAnimatePages:[]});d.pageElement.style.setProperty("--slide-height",e.center===!0?"auto":t.height+"px"),this.slideTriggers.push({page:d,activate:()=>this.activatePage(d),deactivate:()=>this.deactivatePage(d)}),this.createFragmentTriggersForPage(d),d.autoAnimateElements.length>0&&this.createAutoAnimateTriggersForPage(d);let p=Math.max(d.scrollTriggers.length-1,0);p+=d.autoAnimatePages.reduce((g,m)=>g+Math.max(m.scrollTriggers.length-1,0),d.autoAnimatePages.length),d.pageElement.querySelectorAll(".scroll-snap-point").forEach(g=>g.remove());for(let g=0;g<p+1;g++){let m=document.createElement("div");m.className="scroll-snap-point",m.style.height=this.scrollTriggerHeight+"px",m.style.scrollSnapAlign=i?"center":"start",d.pageElement.appendChild(m),g===0&&(m.style.marginTop=-this.scrollTriggerHeight+"px")}return i&&d.scrollTriggers.length>0?(d.pageHeight=s,d.pageElement.style.setProperty("--page-height",s+"px")):(d.pageHeight=r,d.pageElement.style.removeProperty("--page-height")),d.scrollPadding=this.scrollTriggerHeight*p,d.totalHeight=d.pageHeight+d.scrollPadding,d.pageElement.style.setProperty("--page-scroll-padding",d.scrollPadding+"px"),p>0?(d.stickyElement.style.position="sticky",d.stickyElement.style.top=Math.max((s-d.pageHeight)/2,0)+"px"):(d.stickyElement.style.position="relative",d.pageElement.style.scrollSnapAlign=d.pageHeight<s?"center":"start"),d}),this.setTriggerRanges(),this.viewportElement.setAttribute("data-scrollbar",e.scrollProgress),e.scrollProgress&&this.totalScrollTriggerCount>1?(this.progressBar||this.createProgressBar(),this.syncProgressBar()):this.removeProgressBar()}setTriggerRanges(){this.totalScrollTriggerCount=this.slideTriggers.reduce((t,n)=>t+Math.max(n.page.scrollTriggers.length,1),0);let e=0;this.slideTriggers.forEach((t,n)=>{t.range=[e,e+Math.max(t.page.scrollTriggers.length,1)/this.totalScrollTriggerCount];let i=(t.range[1]-t.range[0])/t.page.scrollTriggers.length;t.page.scrollTriggers.forEach((s,a)=>{s.range=[e+a*i,e+(a+1)*i]}),e=t.range[1]}),this.slideTriggers[this.slideTriggers.length-1].range[1]=1}createFragmentTriggersForPage(e,t){t=t||e.slideElement;let n=this.Reveal.fragments.sort(t.querySelectorAll(".fragment"),!0);return n.length&&(e.fragments=this.Reveal.fragments.sort(t.querySelectorAll(".fragment:not(.disabled)")),e.scrollTriggers.push({activate:()=>{this.Reveal.fragments.update(-1,e.fragments,t)}}),n.forEach((i,s)=>{e.scrollTriggers.push({activate:()=>{this.Reveal.fragments.update(s,e.fragments,t)}})})),e.scrollTriggers.length}createAutoAnimateTriggersForPage(e){e.autoAnimateElements.length>0&&this.slideTriggers.push(...Array.from(e.autoAnimateElements).map((t,n)=>{let i=this.createPage({slideElement:t.querySelector("section"),contentElement:t,backgroundElement:t.querySelector(".slide-background")});return this.createFragmentTriggersForPage(i,i.slideElement),e.autoAnimatePages.push(i),{page:i,activate:()=>this.activatePage(i),deactivate:()=>this.deactivatePage(i)}}))}createPage(e){return e.scrollTriggers=[],e.indexh=parseInt(e.slideElement.getAttribute("data-index-h"),10),e.indexv=parseInt(e.slideElement.getAttribute("data-index-v"),10),e}syncProgressBar(){this.progressBarInner.querySelectorAll(".scrollbar-slide").forEach(a=>a.remove()),this.activeProgressBarPage=null,this.activeProgressBarTrigger=null,this.getAllPages().forEach(a=>{a.progressBarSlide=null,a.scrollTriggers.forEach(r=>r.progressBarElement=null)});let e=this.viewportElement.scrollHeight,t=this.viewportElement.offsetHeight,n=t/e;this.progressBarHeight=this.progressBarInner.offsetHeight,this.playheadHeight=Math.max(n*this.progressBarHeight,Hi),this.progressBarScrollableHeight=this.progressBarHeight-this.playheadHeight;let i=t/e*this.progressBarHeight,s=Math.min(i/8,Bi);this.progressBarPlayhead.style.height=this.playheadHeight-s+"px",i>zi&&this.slideTriggers.forEach(a=>{let{page:r}=a;r.progressBarSlide=document.createElement("div"),r.progressBarSlide.className="scrollbar-slide",r.progressBarSlide.style.top=a.range[0]*this.progressBarHeight+"px",r.progressBarSlide.style.height=(a.range[1]-a.range[0])*this.progressBarHeight-s+"px",r.progressBarSlide.classList.toggle("has-triggers",r.scrollTriggers.length>0),this.progressBarInner.appendChild(r.progressBarSlide),r.scrollTriggers.forEach((o,l)=>{let d=document.createElement("div");d.className="scrollbar-trigger",d.style.top=(o.range[0]-a.range[0])*this.progressBarHeight+"px",d.style.height=(o.range[1]-o.range[0])*this.progressBarHeight-s+"px",r.progressBarSlide.appendChild(d),l===0&&(d.style.display="none"),o.progressBarElement=d})})}syncScrollPosition(){let e=this.viewportElement.offsetHeight,t=e/this.viewportElement.scrollHeight,n=this.viewportElement.scrollTop,i=this.viewportElement.scrollHeight-e,s=Math.max(Math.min(n/i,1),0),a=Math.max(Math.min((n+e/2)/this.viewportElement.scrollHeight,1),0),r,o=null;this.slideTriggers.forEach(l=>{let{page:d}=l,p=s>=l.range[0]-t*2&&s<=l.range[1]+t*2;p&&!d.loaded?(d.loaded=!0,this.Reveal.slideContent.load(d.slideElement)):!p&&d.loaded&&(d.loaded=!1,this.Reveal.slideContent.unload(d.slideElement)),s>=l.range[0]&&s<=l.range[1]?(this.activateTrigger(l),r=l.page):l.active&&this.deactivateTrigger(l)}),r&&r.scrollTriggers.forEach(l=>{a>=l.range[0]&&a<=l.range[1]?(this.activateTrigger(l),o=l):l.active&&this.deactivateTrigger(l)}),this.setProgressBarValue(n/(this.viewportElement.scrollHeight-e),r,o)}setProgressBarValue(e,t=null,n=null){if(this.progressBar){if(this.progressBarPlayhead.style.transform=`translateY(${e*this.progressBarScrollableHeight}px)`,this.activeProgressBarPage!==t){var i,s;(i=this.activeProgressBarPage)==null||(i=i.progressBarSlide)==null||i.classList.remove("active"),t==null||(s=t.progressBarSlide)==null||s.classList.add("active"),this.activeProgressBarPage=t}if(this.activeProgressBarTrigger!==n){var a,r;(a=this.activeProgressBarTrigger)==null||(a=a.progressBarElement)==null||a.classList.remove("active"),n==null||(r=n.progressBarElement)==null||r.classList.add("active"),this.activeProgressBarTrigger=n}this.showProgressBar()}}showProgressBar(){this.progressBar.classList.add("visible"),clearTimeout(this.hideProgressBarTimeout),this.Reveal.getConfig().scrollProgress==="auto"&&!this.draggingProgressBar&&(this.hideProgressBarTimeout=setTimeout(()=>{this.progressBar&&this.progressBar.classList.remove("visible")},Ni))}prev(){this.viewportElement.scrollTop-=this.scrollTriggerHeight}next(){this.viewportElement.scrollTop+=this.scrollTriggerHeight}scrollToSlide(e){if(!this.active)this.activatedCallbacks.push(()=>this.scrollToSlide(e));else{let t=this.getScrollTriggerBySlide(e);t&&(this.viewportElement.scrollTop=t.range[0]*(this.viewportElement.scrollHeight-this.viewportElement.offsetHeight))}}storeScrollPosition(){clearTimeout(this.storeScrollPositionTimeout),this.storeScrollPositionTimeout=setTimeout(()=>{sessionStorage.setItem("reveal-scroll-top",this.viewportElement.scrollTop),sessionStorage.setItem("reveal-scroll-origin",location.origin+location.pathname),this.storeScrollPositionTimeout=null},50)}restoreScrollPosition(){let e=sessionStorage.getItem("reveal-scroll-top"),t=sessionStorage.getItem("reveal-scroll-origin");e&&t===location.origin+location.pathname&&(this.viewportElement.scrollTop=parseInt(e,10))}activatePage(e){if(!e.active){e.active=!0;let{slideElement:t,backgroundElement:n,contentElement:i,indexh:s,indexv:a}=e;i.style.display="block",t.classList.add("present"),n&&n.classList.add("present"),this.Reveal.setCurrentScrollPage(t,s,a),this.Reveal.backgrounds.bubbleSlideContrastClassToElement(t,this.viewportElement),Array.from(i.parentNode.querySelectorAll(".scroll-page-content")).forEach(r=>{r!==i&&(r.style.display="none")})}}deactivatePage(e){e.active&&(e.active=!1,e.slideElement&&e.slideElement.classList.remove("present"),e.backgroundElement&&e.backgroundElement.classList.remove("present"))}activateTrigger(e){e.active||(e.active=!0,e.activate())}deactivateTrigger(e){e.active&&(e.active=!1,e.deactivate&&e.deactivate())}getSlideByIndices(e,t){let n=this.getAllPages().find(i=>i.indexh===e&&i.indexv===t);return n?n.slideElement:null}getScrollTriggerBySlide(e){return this.slideTriggers.find(t=>t.page.slideElement===e)}getAllPages(){return this.pages.flatMap(e=>[e,...e.autoAnimatePages||[]])}onScroll(){this.pendingScrollRaf||(this.pendingScrollRaf=requestAnimationFrame(()=>{this.pendingScrollRaf=0,this.syncScrollPosition(),this.storeScrollPosition()}))}get viewportElement(){return this.Reveal.getViewportElement()}};function un(e,t,n,i,s,a,r){try{var o=e[a](r),l=o.value}catch(d){n(d);return}o.done?t(l):Promise.resolve(l).then(i,s)}function $i(e){return function(){var t=this,n=arguments;return new Promise(function(i,s){var a=e.apply(t,n);function r(l){un(a,i,s,r,o,"next",l)}function o(l){un(a,i,s,r,o,"throw",l)}r(void 0)})}}var qi=class{constructor(e){this.Reveal=e}activate(){var e=this;return $i(function*(){let t=e.Reveal.getConfig(),n=k(e.Reveal.getRevealElement(),ge),i=t.slideNumber&&/all|print/i.test(t.showSlideNumber),s=e.Reveal.getComputedSlideSize(window.innerWidth,window.innerHeight),a=Math.floor(s.width*(1+t.margin)),r=Math.floor(s.height*(1+t.margin)),o=s.width,l=s.height;yield new Promise(requestAnimationFrame),mt("@page{size:"+a+"px "+r+"px; margin: 0px;}"),mt(".reveal section>img, .reveal section>video, .reveal section>iframe{max-width: "+o+"px; max-height:"+l+"px}"),document.documentElement.classList.add("reveal-print","print-pdf"),document.body.style.width=a+"px",document.body.style.height=r+"px";let d=e.Reveal.getViewportElement(),p;if(d){let S=window.getComputedStyle(d);S&&S.background&&(p=S.background)}yield new Promise(requestAnimationFrame),e.Reveal.layoutSlideContents(o,l),yield new Promise(requestAnimationFrame);let g=n.map(S=>S.scrollHeight),m=[],w=n[0].parentNode,h=1;n.forEach(function(S,P){if(S.classList.contains("stack")===!1){let D=(a-o)/2,Z=(r-l)/2,re=g[P],j=Math.max(Math.ceil(re/r),1);j=Math.min(j,t.pdfMaxPagesPerSlide),(j===1&&t.center||S.classList.contains("center"))&&(Z=Math.max((r-re)/2,0));let E=document.createElement("div");if(m.push(E),E.className="pdf-page",E.style.height=(r+t.pdfPageHeightOffset)*j+"px",p&&(E.style.background=p),E.appendChild(S),S.style.left=D+"px",S.style.top=Z+"px",S.style.width=o+"px",this.Reveal.slideContent.layout(S),S.slideBackgroundElement&&E.insertBefore(S.slideBackgroundElement,S),t.showNotes){let B=this.Reveal.getSlideNotes(S);if(B){let _=typeof t.showNotes=="string"?t.showNotes:"inline",z=document.createElement("div");z.classList.add("speaker-notes"),z.classList.add("speaker-notes-pdf"),z.setAttribute("data-layout",_),z.innerHTML=B,_==="separate-page"?m.push(z):(z.style.left="8px",z.style.bottom="8px",z.style.width=a-16+"px",E.appendChild(z))}}if(i){let B=document.createElement("div");B.classList.add("slide-number"),B.classList.add("slide-number-pdf"),B.innerHTML=h++,E.appendChild(B)}if(t.pdfSeparateFragments){let B=this.Reveal.fragments.sort(E.querySelectorAll(".fragment"),!0),_;B.forEach(function(z,O){_&&_.forEach(function(U){U.classList.remove("current-fragment")}),z.forEach(function(U){U.classList.add("visible","current-fragment")},this);let A=E.cloneNode(!0);if(i){let U=A.querySelector(".slide-number-pdf"),R=O+1;U.innerHTML+="."+R}m.push(A),_=z},this),B.forEach(function(z){z.forEach(function(O){O.classList.remove("visible","current-fragment")})})}else k(E,".fragment:not(.fade-out)").forEach(function(B){B.classList.add("visible")})}},e),yield new Promise(requestAnimationFrame),m.forEach(S=>w.appendChild(S)),e.Reveal.slideContent.layout(e.Reveal.getSlidesElement()),e.Reveal.dispatchEvent({type:"pdf-ready"}),d.classList.remove("loading-scroll-mode")})()}isActive(){return this.Reveal.getConfig().view==="print"}},Oi=class{constructor(e){this.Reveal=e}configure(e,t){e.fragments===!1?this.disable():t.fragments===!1&&this.enable()}disable(){k(this.Reveal.getSlidesElement(),".fragment").forEach(e=>{e.classList.add("visible"),e.classList.remove("current-fragment")})}enable(){k(this.Reveal.getSlidesElement(),".fragment").forEach(e=>{e.classList.remove("visible"),e.classList.remove("current-fragment")})}availableRoutes(){let e=this.Reveal.getCurrentSlide();if(e&&this.Reveal.getConfig().fragments){let t=e.querySelectorAll(".fragment:not(.disabled)"),n=e.querySelectorAll(".fragment:not(.disabled):not(.visible)");return{prev:t.length-n.length>0,next:!!n.length}}return{prev:!1,next:!1}}sort(e,t=!1){e=Array.from(e);let n=[],i=[],s=[];e.forEach(r=>{if(r.hasAttribute("data-fragment-index")){let o=parseInt(r.getAttribute("data-fragment-index"),10);n[o]||(n[o]=[]),n[o].push(r)}else i.push([r])}),n=n.concat(i);let a=0;return n.forEach(r=>{r.forEach(o=>{s.push(o),o.setAttribute("data-fragment-index",a)}),a++}),t===!0?n:s}sortAll(){this.Reveal.getHorizontalSlides().forEach(e=>{let t=k(e,"section");t.forEach((n,i)=>{this.sort(n.querySelectorAll(".fragment"))},this),t.length===0&&this.sort(e.querySelectorAll(".fragment"))})}update(e,t,n=this.Reveal.getCurrentSlide()){let i={shown:[],hidden:[]};if(n&&this.Reveal.getConfig().fragments&&(t=t||this.sort(n.querySelectorAll(".fragment")),t.length)){let s=0;if(typeof e!="number"){let a=this.sort(n.querySelectorAll(".fragment.visible")).pop();a&&(e=parseInt(a.getAttribute("data-fragment-index")||0,10))}Array.from(t).forEach((a,r)=>{if(a.hasAttribute("data-fragment-index")&&(r=parseInt(a.getAttribute("data-fragment-index"),10)),s=Math.max(s,r),r<=e){let o=a.classList.contains("visible");a.classList.add("visible"),a.classList.remove("current-fragment"),r===e&&(this.Reveal.announceStatus(this.Reveal.getStatusText(a)),a.classList.add("current-fragment"),this.Reveal.slideContent.startEmbeddedContent(a)),o||(i.shown.push(a),this.Reveal.dispatchEvent({target:a,type:"visible",bubbles:!1}))}else{let o=a.classList.contains("visible");a.classList.remove("visible"),a.classList.remove("current-fragment"),o&&(this.Reveal.slideContent.stopEmbeddedContent(a),i.hidden.push(a),this.Reveal.dispatchEvent({target:a,type:"hidden",bubbles:!1}))}}),e=typeof e=="number"?e:-1,e=Math.max(Math.min(e,s),-1),n.setAttribute("data-fragment",e)}return i.hidden.length&&this.Reveal.dispatchEvent({type:"fragmenthidden",data:{fragment:i.hidden[0],fragments:i.hidden}}),i.shown.length&&this.Reveal.dispatchEvent({type:"fragmentshown",data:{fragment:i.shown[0],fragments:i.shown}}),i}sync(e=this.Reveal.getCurrentSlide()){return this.sort(e.querySelectorAll(".fragment"))}goto(e,t=0){let n=this.Reveal.getCurrentSlide();if(n&&this.Reveal.getConfig().fragments){let i=this.sort(n.querySelectorAll(".fragment:not(.disabled)"));if(i.length){if(typeof e!="number"){let a=this.sort(n.querySelectorAll(".fragment:not(.disabled).visible")).pop();e=a?parseInt(a.getAttribute("data-fragment-index")||0,10):-1}e+=t;let s=this.update(e,i);return this.Reveal.controls.update(),this.Reveal.progress.update(),this.Reveal.getConfig().fragmentInURL&&this.Reveal.location.writeURL(),!!(s.shown.length||s.hidden.length)}}return!1}next(){return this.goto(null,1)}prev(){return this.goto(null,-1)}},Fi=class{constructor(e){this.Reveal=e,this.active=!1,this.onSlideClicked=this.onSlideClicked.bind(this)}activate(){if(this.Reveal.getConfig().overview&&!this.Reveal.isScrollView()&&!this.isActive()){this.active=!0,this.Reveal.getRevealElement().classList.add("overview"),this.Reveal.cancelAutoSlide(),this.Reveal.getSlidesElement().appendChild(this.Reveal.getBackgroundsElement()),k(this.Reveal.getRevealElement(),ge).forEach(n=>{n.classList.contains("stack")||n.addEventListener("click",this.onSlideClicked,!0)});let e=this.Reveal.getComputedSlideSize();this.overviewSlideWidth=e.width+70,this.overviewSlideHeight=e.height+70,this.Reveal.getConfig().rtl&&(this.overviewSlideWidth=-this.overviewSlideWidth),this.Reveal.updateSlidesVisibility(),this.layout(),this.update(),this.Reveal.layout();let t=this.Reveal.getIndices();this.Reveal.dispatchEvent({type:"overviewshown",data:{indexh:t.h,indexv:t.v,currentSlide:this.Reveal.getCurrentSlide()}})}}layout(){this.Reveal.getHorizontalSlides().forEach((e,t)=>{e.setAttribute("data-index-h",t),pe(e,"translate3d("+t*this.overviewSlideWidth+"px, 0, 0)"),e.classList.contains("stack")&&k(e,"section").forEach((n,i)=>{n.setAttribute("data-index-h",t),n.setAttribute("data-index-v",i),pe(n,"translate3d(0, "+i*this.overviewSlideHeight+"px, 0)")})}),Array.from(this.Reveal.getBackgroundsElement().childNodes).forEach((e,t)=>{pe(e,"translate3d("+t*this.overviewSlideWidth+"px, 0, 0)"),k(e,".slide-background").forEach((n,i)=>{pe(n,"translate3d(0, "+i*this.overviewSlideHeight+"px, 0)")})})}update(){let e=Math.min(window.innerWidth,window.innerHeight),t=Math.max(e/5,150)/e,n=this.Reveal.getIndices();this.Reveal.transformSlides({overview:["scale("+t+")","translateX("+-n.h*this.overviewSlideWidth+"px)","translateY("+-n.v*this.overviewSlideHeight+"px)"].join(" ")})}deactivate(){if(this.Reveal.getConfig().overview){this.active=!1,this.Reveal.getRevealElement().classList.remove("overview"),this.Reveal.getRevealElement().classList.add("overview-deactivating"),setTimeout(()=>{this.Reveal.getRevealElement().classList.remove("overview-deactivating")},1),this.Reveal.getRevealElement().appendChild(this.Reveal.getBackgroundsElement()),k(this.Reveal.getRevealElement(),ge).forEach(t=>{pe(t,""),t.removeEventListener("click",this.onSlideClicked,!0)}),k(this.Reveal.getBackgroundsElement(),".slide-background").forEach(t=>{pe(t,"")}),this.Reveal.transformSlides({overview:""});let e=this.Reveal.getIndices();this.Reveal.slide(e.h,e.v),this.Reveal.layout(),this.Reveal.cueAutoSlide(),this.Reveal.dispatchEvent({type:"overviewhidden",data:{indexh:e.h,indexv:e.v,currentSlide:this.Reveal.getCurrentSlide()}})}}toggle(e){typeof e=="boolean"?e?this.activate():this.deactivate():this.isActive()?this.deactivate():this.activate()}isActive(){return this.active}onSlideClicked(e){if(this.isActive()){e.preventDefault();let t=e.target;for(;t&&!t.nodeName.match(/section/gi);)t=t.parentNode;if(t&&!t.classList.contains("disabled")&&(this.deactivate(),t.nodeName.match(/section/gi))){let n=parseInt(t.getAttribute("data-index-h"),10),i=parseInt(t.getAttribute("data-index-v"),10);this.Reveal.slide(n,i)}}}},Vi=class{constructor(e){this.Reveal=e,this.shortcuts={},this.bindings={},this.onDocumentKeyDown=this.onDocumentKeyDown.bind(this)}configure(e,t){e.navigationMode==="linear"?(this.shortcuts["&#8594;  ,  &#8595;  ,  SPACE  ,  N  ,  L  ,  J"]="Next slide",this.shortcuts["&#8592;  ,  &#8593;  ,  P  ,  H  ,  K"]="Previous slide"):(this.shortcuts["N  ,  SPACE"]="Next slide",this.shortcuts["P  ,  Shift SPACE"]="Previous slide",this.shortcuts["&#8592;  ,  H"]="Navigate left",this.shortcuts["&#8594;  ,  L"]="Navigate right",this.shortcuts["&#8593;  ,  K"]="Navigate up",this.shortcuts["&#8595;  ,  J"]="Navigate down"),this.shortcuts["Alt + &#8592;/&#8593/&#8594;/&#8595;"]="Navigate without fragments",this.shortcuts["Shift + &#8592;/&#8593/&#8594;/&#8595;"]="Jump to first/last slide",this.shortcuts["B  ,  ."]="Pause",this.shortcuts.F="Fullscreen",this.shortcuts.G="Jump to slide",this.shortcuts["ESC, O"]="Slide overview"}bind(){document.addEventListener("keydown",this.onDocumentKeyDown,!1)}unbind(){document.removeEventListener("keydown",this.onDocumentKeyDown,!1)}addKeyBinding(e,t){typeof e=="object"&&e.keyCode?this.bindings[e.keyCode]={callback:t,key:e.key,description:e.description}:this.bindings[e]={callback:t,key:null,description:null}}removeKeyBinding(e){delete this.bindings[e]}triggerKey(e){this.onDocumentKeyDown({keyCode:e})}registerKeyboardShortcut(e,t){this.shortcuts[e]=t}getShortcuts(){return this.shortcuts}getBindings(){return this.bindings}onDocumentKeyDown(e){let t=this.Reveal.getConfig();if(typeof t.keyboardCondition=="function"&&t.keyboardCondition(e)===!1||t.keyboardCondition==="focused"&&!this.Reveal.isFocused())return!0;let n=e.keyCode,i=!this.Reveal.isAutoSliding();this.Reveal.onUserInput(e);let s=document.activeElement&&document.activeElement.isContentEditable===!0,a=document.activeElement&&document.activeElement.tagName&&/input|textarea/i.test(document.activeElement.tagName),r=document.activeElement&&document.activeElement.className&&/speaker-notes/i.test(document.activeElement.className),o=!([32,37,38,39,40,63,78,80,191].indexOf(e.keyCode)!==-1&&e.shiftKey||e.altKey)&&(e.shiftKey||e.altKey||e.ctrlKey||e.metaKey);if(s||a||r||o)return;let l=[66,86,190,191,112],d;if(typeof t.keyboard=="object")for(d in t.keyboard)t.keyboard[d]==="togglePause"&&l.push(parseInt(d,10));if(this.Reveal.isOverlayOpen()&&!["Escape","f","c","b","."].includes(e.key)||this.Reveal.isPaused()&&l.indexOf(n)===-1)return!1;let p=t.navigationMode==="linear"||!this.Reveal.hasHorizontalSlides()||!this.Reveal.hasVerticalSlides(),g=!1;if(typeof t.keyboard=="object"){for(d in t.keyboard)if(parseInt(d,10)===n){let m=t.keyboard[d];typeof m=="function"?m.apply(null,[e]):typeof m=="string"&&typeof this.Reveal[m]=="function"&&this.Reveal[m].call(),g=!0}}if(g===!1){for(d in this.bindings)if(parseInt(d,10)===n){let m=this.bindings[d].callback;typeof m=="function"?m.apply(null,[e]):typeof m=="string"&&typeof this.Reveal[m]=="function"&&this.Reveal[m].call(),g=!0}}g===!1&&(g=!0,n===80||n===33?this.Reveal.prev({skipFragments:e.altKey}):n===78||n===34?this.Reveal.next({skipFragments:e.altKey}):n===72||n===37?e.shiftKey?this.Reveal.slide(0):!this.Reveal.overview.isActive()&&p?t.rtl?this.Reveal.next({skipFragments:e.altKey}):this.Reveal.prev({skipFragments:e.altKey}):this.Reveal.left({skipFragments:e.altKey}):n===76||n===39?e.shiftKey?this.Reveal.slide(this.Reveal.getHorizontalSlides().length-1):!this.Reveal.overview.isActive()&&p?t.rtl?this.Reveal.prev({skipFragments:e.altKey}):this.Reveal.next({skipFragments:e.altKey}):this.Reveal.right({skipFragments:e.altKey}):n===75||n===38?e.shiftKey?this.Reveal.slide(void 0,0):!this.Reveal.overview.isActive()&&p?this.Reveal.prev({skipFragments:e.altKey}):this.Reveal.up({skipFragments:e.altKey}):n===74||n===40?e.shiftKey?this.Reveal.slide(void 0,Number.MAX_VALUE):!this.Reveal.overview.isActive()&&p?this.Reveal.next({skipFragments:e.altKey}):this.Reveal.down({skipFragments:e.altKey}):n===36?this.Reveal.slide(0):n===35?this.Reveal.slide(this.Reveal.getHorizontalSlides().length-1):n===32?(this.Reveal.overview.isActive()&&this.Reveal.overview.deactivate(),e.shiftKey?this.Reveal.prev({skipFragments:e.altKey}):this.Reveal.next({skipFragments:e.altKey})):[58,59,66,86,190].includes(n)||n===191&&!e.shiftKey?this.Reveal.togglePause():n===70?bn(t.embedded?this.Reveal.getViewportElement():document.documentElement):n===65?t.autoSlideStoppable&&this.Reveal.toggleAutoSlide(i):n===71?t.jumpToSlide&&this.Reveal.toggleJumpToSlide():n===67&&this.Reveal.isOverlayOpen()?this.Reveal.closeOverlay():(n===63||n===191)&&e.shiftKey||n===112?this.Reveal.toggleHelp():g=!1),g?e.preventDefault&&e.preventDefault():n===27||n===79?(this.Reveal.closeOverlay()===!1&&this.Reveal.overview.toggle(),e.preventDefault&&e.preventDefault()):n===13&&this.Reveal.overview.isActive()&&(this.Reveal.overview.deactivate(),e.preventDefault&&e.preventDefault()),this.Reveal.cueAutoSlide()}};function pn(e,t){var n=Object.keys(e);if(Object.getOwnPropertySymbols){var i=Object.getOwnPropertySymbols(e);t&&(i=i.filter(function(s){return Object.getOwnPropertyDescriptor(e,s).enumerable})),n.push.apply(n,i)}return n}function ee(e){for(var t=1;t<arguments.length;t++){var n=arguments[t]==null?{}:arguments[t];t%2?pn(Object(n),!0).forEach(function(i){ft(e,i,n[i])}):Object.getOwnPropertyDescriptors?Object.defineProperties(e,Object.getOwnPropertyDescriptors(n)):pn(Object(n)).forEach(function(i){Object.defineProperty(e,i,Object.getOwnPropertyDescriptor(n,i))})}return e}var ji=class{constructor(e){ft(this,"MAX_REPLACE_STATE_FREQUENCY",1e3),this.Reveal=e,this.writeURLTimeout=0,this.replaceStateTimestamp=0,this.onWindowHashChange=this.onWindowHashChange.bind(this)}bind(){window.addEventListener("hashchange",this.onWindowHashChange,!1)}unbind(){window.removeEventListener("hashchange",this.onWindowHashChange,!1)}getIndicesFromHash(e=window.location.hash,t={}){let n=e.replace(/^#\/?/,""),i=n.split("/");if(!/^[0-9]*$/.test(i[0])&&n.length){let s,a;/\/[-\d]+$/g.test(n)&&(a=parseInt(n.split("/").pop(),10),a=isNaN(a)?void 0:a,n=n.split("/").shift());try{let r=decodeURIComponent(n);s=(document.getElementById(r)||document.querySelector(`[data-id="${r}"]`)).closest(".slides section")}catch{}if(s)return ee(ee({},this.Reveal.getIndices(s)),{},{f:a})}else{let s=this.Reveal.getConfig(),a=s.hashOneBasedIndex||t.oneBasedIndex?1:0,r=parseInt(i[0],10)-a||0,o=parseInt(i[1],10)-a||0,l;return s.fragmentInURL&&(l=parseInt(i[2],10),isNaN(l)&&(l=void 0)),{h:r,v:o,f:l}}return null}readURL(){let e=this.Reveal.getIndices(),t=this.getIndicesFromHash();t?(t.h!==e.h||t.v!==e.v||t.f!==void 0)&&this.Reveal.slide(t.h,t.v,t.f):this.Reveal.slide(e.h||0,e.v||0)}writeURL(e){let t=this.Reveal.getConfig(),n=this.Reveal.getCurrentSlide();if(clearTimeout(this.writeURLTimeout),typeof e=="number")this.writeURLTimeout=setTimeout(this.writeURL,e);else if(n){let i=this.getHash();t.history?window.location.hash=i:t.hash&&(i==="/"?this.debouncedReplaceState(window.location.pathname+window.location.search):this.debouncedReplaceState("#"+i))}}replaceState(e){window.history.replaceState(null,null,e),this.replaceStateTimestamp=Date.now()}debouncedReplaceState(e){clearTimeout(this.replaceStateTimeout),Date.now()-this.replaceStateTimestamp>this.MAX_REPLACE_STATE_FREQUENCY?this.replaceState(e):this.replaceStateTimeout=setTimeout(()=>this.replaceState(e),this.MAX_REPLACE_STATE_FREQUENCY)}getHash(e){let t="/",n=e||this.Reveal.getCurrentSlide(),i=n?n.getAttribute("id"):null;i&&(i=encodeURIComponent(i));let s=this.Reveal.getIndices(e);if(this.Reveal.getConfig().fragmentInURL||(s.f=void 0),typeof i=="string"&&i.length)t="/"+i,s.f>=0&&(t+="/"+s.f);else{let a=+!!this.Reveal.getConfig().hashOneBasedIndex;(s.h>0||s.v>0||s.f>=0)&&(t+=s.h+a),(s.v>0||s.f>=0)&&(t+="/"+(s.v+a)),s.f>=0&&(t+="/"+s.f)}return t}onWindowHashChange(e){this.readURL()}},Ui=class{constructor(e){this.Reveal=e,this.onNavigateLeftClicked=this.onNavigateLeftClicked.bind(this),this.onNavigateRightClicked=this.onNavigateRightClicked.bind(this),this.onNavigateUpClicked=this.onNavigateUpClicked.bind(this),this.onNavigateDownClicked=this.onNavigateDownClicked.bind(this),this.onNavigatePrevClicked=this.onNavigatePrevClicked.bind(this),this.onNavigateNextClicked=this.onNavigateNextClicked.bind(this),this.onEnterFullscreen=this.onEnterFullscreen.bind(this)}render(){let e=this.Reveal.getConfig().rtl,t=this.Reveal.getRevealElement();this.element=document.createElement("aside"),this.element.className="controls",this.element.innerHTML=`<button class="navigate-left" aria-label="${e?"next slide":"previous slide"}"><div class="controls-arrow"></div></button>
			<button class="navigate-right" aria-label="${e?"previous slide":"next slide"}"><div class="controls-arrow"></div></button>
			<button class="navigate-up" aria-label="above slide"><div class="controls-arrow"></div></button>
			<button class="navigate-down" aria-label="below slide"><div class="controls-arrow"></div></button>`,this.Reveal.getRevealElement().appendChild(this.element),this.controlsLeft=k(t,".navigate-left"),this.controlsRight=k(t,".navigate-right"),this.controlsUp=k(t,".navigate-up"),this.controlsDown=k(t,".navigate-down"),this.controlsPrev=k(t,".navigate-prev"),this.controlsNext=k(t,".navigate-next"),this.controlsFullscreen=k(t,".enter-fullscreen"),this.controlsRightArrow=this.element.querySelector(".navigate-right"),this.controlsLeftArrow=this.element.querySelector(".navigate-left"),this.controlsDownArrow=this.element.querySelector(".navigate-down")}configure(e,t){let n=e.controls==="speaker"||e.controls==="speaker-only";this.element.style.display=e.controls&&(!n||this.Reveal.isSpeakerNotes())?"block":"none",this.element.setAttribute("data-controls-layout",e.controlsLayout),this.element.setAttribute("data-controls-back-arrows",e.controlsBackArrows)}bind(){let e=["touchstart","click"];yn&&(e=["touchend"]),e.forEach(t=>{this.controlsLeft.forEach(n=>n.addEventListener(t,this.onNavigateLeftClicked,!1)),this.controlsRight.forEach(n=>n.addEventListener(t,this.onNavigateRightClicked,!1)),this.controlsUp.forEach(n=>n.addEventListener(t,this.onNavigateUpClicked,!1)),this.controlsDown.forEach(n=>n.addEventListener(t,this.onNavigateDownClicked,!1)),this.controlsPrev.forEach(n=>n.addEventListener(t,this.onNavigatePrevClicked,!1)),this.controlsNext.forEach(n=>n.addEventListener(t,this.onNavigateNextClicked,!1)),this.controlsFullscreen.forEach(n=>n.addEventListener(t,this.onEnterFullscreen,!1))})}unbind(){["touchstart","touchend","click"].forEach(e=>{this.controlsLeft.forEach(t=>t.removeEventListener(e,this.onNavigateLeftClicked,!1)),this.controlsRight.forEach(t=>t.removeEventListener(e,this.onNavigateRightClicked,!1)),this.controlsUp.forEach(t=>t.removeEventListener(e,this.onNavigateUpClicked,!1)),this.controlsDown.forEach(t=>t.removeEventListener(e,this.onNavigateDownClicked,!1)),this.controlsPrev.forEach(t=>t.removeEventListener(e,this.onNavigatePrevClicked,!1)),this.controlsNext.forEach(t=>t.removeEventListener(e,this.onNavigateNextClicked,!1)),this.controlsFullscreen.forEach(t=>t.removeEventListener(e,this.onEnterFullscreen,!1))})}update(){let e=this.Reveal.availableRoutes();[...this.controlsLeft,...this.controlsRight,...this.controlsUp,...this.controlsDown,...this.controlsPrev,...this.controlsNext].forEach(n=>{n.classList.remove("enabled","fragmented"),n.setAttribute("disabled","disabled")}),e.left&&this.controlsLeft.forEach(n=>{n.classList.add("enabled"),n.removeAttribute("disabled")}),e.right&&this.controlsRight.forEach(n=>{n.classList.add("enabled"),n.removeAttribute("disabled")}),e.up&&this.controlsUp.forEach(n=>{n.classList.add("enabled"),n.removeAttribute("disabled")}),e.down&&this.controlsDown.forEach(n=>{n.classList.add("enabled"),n.removeAttribute("disabled")}),(e.left||e.up)&&this.controlsPrev.forEach(n=>{n.classList.add("enabled"),n.removeAttribute("disabled")}),(e.right||e.down)&&this.controlsNext.forEach(n=>{n.classList.add("enabled"),n.removeAttribute("disabled")});let t=this.Reveal.getCurrentSlide();if(t){let n=this.Reveal.fragments.availableRoutes();n.prev&&this.controlsPrev.forEach(a=>{a.classList.add("fragmented","enabled"),a.removeAttribute("disabled")}),n.next&&this.controlsNext.forEach(a=>{a.classList.add("fragmented","enabled"),a.removeAttribute("disabled")});let i=this.Reveal.isVerticalSlide(t),s=i&&t.parentElement&&t.parentElement.querySelectorAll(":scope > section").length>1;i&&s?(n.prev&&this.controlsUp.forEach(a=>{a.classList.add("fragmented","enabled"),a.removeAttribute("disabled")}),n.next&&this.controlsDown.forEach(a=>{a.classList.add("fragmented","enabled"),a.removeAttribute("disabled")})):(n.prev&&this.controlsLeft.forEach(a=>{a.classList.add("fragmented","enabled"),a.removeAttribute("disabled")}),n.next&&this.controlsRight.forEach(a=>{a.classList.add("fragmented","enabled"),a.removeAttribute("disabled")}))}if(this.Reveal.getConfig().controlsTutorial){let n=this.Reveal.getIndices();!this.Reveal.hasNavigatedVertically()&&e.down?this.controlsDownArrow.classList.add("highlight"):(this.controlsDownArrow.classList.remove("highlight"),this.Reveal.getConfig().rtl?!this.Reveal.hasNavigatedHorizontally()&&e.left&&n.v===0?this.controlsLeftArrow.classList.add("highlight"):this.controlsLeftArrow.classList.remove("highlight"):!this.Reveal.hasNavigatedHorizontally()&&e.right&&n.v===0?this.controlsRightArrow.classList.add("highlight"):this.controlsRightArrow.classList.remove("highlight"))}}destroy(){this.unbind(),this.element.remove()}onNavigateLeftClicked(e){e.preventDefault(),this.Reveal.onUserInput(),this.Reveal.getConfig().navigationMode==="linear"?this.Reveal.prev():this.Reveal.left()}onNavigateRightClicked(e){e.preventDefault(),this.Reveal.onUserInput(),this.Reveal.getConfig().navigationMode==="linear"?this.Reveal.next():this.Reveal.right()}onNavigateUpClicked(e){e.preventDefault(),this.Reveal.onUserInput(),this.Reveal.up()}onNavigateDownClicked(e){e.preventDefault(),this.Reveal.onUserInput(),this.Reveal.down()}onNavigatePrevClicked(e){e.preventDefault(),this.Reveal.onUserInput(),this.Reveal.prev()}onNavigateNextClicked(e){e.preventDefault(),this.Reveal.onUserInput(),this.Reveal.next()}onEnterFullscreen(e){let t=this.Reveal.getConfig(),n=this.Reveal.getViewportElement();bn(t.embedded?n:n.parentElement)}},Wi=class{constructor(e){this.Reveal=e,this.onProgressClicked=this.onProgressClicked.bind(this)}render(){this.element=document.createElement("div"),this.element.className="progress",this.Reveal.getRevealElement().appendChild(this.element),this.bar=document.createElement("span"),this.element.appendChild(this.bar)}configure(e,t){this.element.style.display=e.progress?"block":"none"}bind(){this.Reveal.getConfig().progress&&this.element&&this.element.addEventListener("click",this.onProgressClicked,!1)}unbind(){this.Reveal.getConfig().progress&&this.element&&this.element.removeEventListener("click",this.onProgressClicked,!1)}update(){if(this.Reveal.getConfig().progress&&this.bar){let e=this.Reveal.getProgress();this.Reveal.getTotalSlides()<2&&(e=0),this.bar.style.transform="scaleX("+e+")"}}getMaxWidth(){return this.Reveal.getRevealElement().offsetWidth}onProgressClicked(e){this.Reveal.onUserInput(e),e.preventDefault();let t=this.Reveal.getSlides(),n=t.length,i=Math.floor(e.clientX/this.getMaxWidth()*n);this.Reveal.getConfig().rtl&&(i=n-i);let s=this.Reveal.getIndices(t[i]);this.Reveal.slide(s.h,s.v)}destroy(){this.element.remove()}},_i=class{constructor(e){this.Reveal=e,this.lastMouseWheelStep=0,this.cursorHidden=!1,this.cursorInactiveTimeout=0,this.onDocumentCursorActive=this.onDocumentCursorActive.bind(this),this.onDocumentMouseScroll=this.onDocumentMouseScroll.bind(this)}configure(e,t){e.mouseWheel?document.addEventListener("wheel",this.onDocumentMouseScroll,!1):document.removeEventListener("wheel",this.onDocumentMouseScroll,!1),e.hideInactiveCursor?(document.addEventListener("mousemove",this.onDocumentCursorActive,!1),document.addEventListener("mousedown",this.onDocumentCursorActive,!1)):(this.showCursor(),document.removeEventListener("mousemove",this.onDocumentCursorActive,!1),document.removeEventListener("mousedown",this.onDocumentCursorActive,!1))}showCursor(){this.cursorHidden&&(this.cursorHidden=!1,this.Reveal.getRevealElement().style.cursor="")}hideCursor(){this.cursorHidden===!1&&(this.cursorHidden=!0,this.Reveal.getRevealElement().style.cursor="none")}destroy(){this.showCursor(),document.removeEventListener("wheel",this.onDocumentMouseScroll,!1),document.removeEventListener("mousemove",this.onDocumentCursorActive,!1),document.removeEventListener("mousedown",this.onDocumentCursorActive,!1)}onDocumentCursorActive(e){this.showCursor(),clearTimeout(this.cursorInactiveTimeout),this.cursorInactiveTimeout=setTimeout(this.hideCursor.bind(this),this.Reveal.getConfig().hideCursorTime)}onDocumentMouseScroll(e){if(Date.now()-this.lastMouseWheelStep>1e3){this.lastMouseWheelStep=Date.now();let t=e.detail||-e.wheelDelta;t>0?this.Reveal.next():t<0&&this.Reveal.prev()}}},gn=(e,t)=>{let n=document.createElement("script");n.type="text/javascript",n.async=!1,n.defer=!1,n.src=e,typeof t=="function"&&(n.onload=s=>{s.type==="load"&&(n.onload=n.onerror=null,t())},n.onerror=s=>{n.onload=n.onerror=null,t(Error("Failed loading script: "+n.src+`
`+s))});let i=document.querySelector("head");i&&i.insertBefore(n,i.lastChild)},Ki=class{constructor(e){this.Reveal=e,this.state="idle",this.registeredPlugins={},this.asyncDependencies=[]}load(e,t){return this.state="loading",e.forEach(this.registerPlugin.bind(this)),new Promise(n=>{let i=[],s=0;if(t.forEach(a=>{(!a.condition||a.condition())&&(a.async?this.asyncDependencies.push(a):i.push(a))}),i.length){s=i.length;let a=r=>{r&&typeof r.callback=="function"&&r.callback(),--s===0&&this.initPlugins().then(n)};i.forEach(r=>{typeof r.id=="string"?(this.registerPlugin(r),a(r)):typeof r.src=="string"?gn(r.src,()=>a(r)):(console.warn("Unrecognized plugin format",r),a())})}else this.initPlugins().then(n)})}initPlugins(){return new Promise(e=>{let t=Object.values(this.registeredPlugins),n=t.length;if(n===0)this.loadAsync().then(e);else{let i,s=()=>{--n===0?this.loadAsync().then(e):i()},a=0;i=()=>{let r=t[a++];if(typeof r.init=="function"){let o=r.init(this.Reveal);o&&typeof o.then=="function"?o.then(s):s()}else s()},i()}})}loadAsync(){return this.state="loaded",this.asyncDependencies.length&&this.asyncDependencies.forEach(e=>{gn(e.src,e.callback)}),Promise.resolve()}registerPlugin(e){arguments.length===2&&typeof arguments[0]=="string"?(e=arguments[1],e.id=arguments[0]):typeof e=="function"&&(e=e());let t=e.id;typeof t=="string"?this.registeredPlugins[t]===void 0?(this.registeredPlugins[t]=e,this.state==="loaded"&&typeof e.init=="function"&&e.init(this.Reveal)):console.warn('reveal.js: "'+t+'" plugin has already been registered'):console.warn("Unrecognized plugin format; can't find plugin.id",e)}hasPlugin(e){return!!this.registeredPlugins[e]}getPlugin(e){return this.registeredPlugins[e]}getRegisteredPlugins(){return this.registeredPlugins}destroy(){Object.values(this.registeredPlugins).forEach(e=>{typeof e.destroy=="function"&&e.destroy()}),this.registeredPlugins={},this.asyncDependencies=[]}},Xi=class{constructor(e){this.Reveal=e,this.onSlidesClicked=this.onSlidesClicked.bind(this),this.iframeTriggerSelector=null,this.mediaTriggerSelector="[data-preview-image], [data-preview-video]",this.stateProps=["previewIframe","previewImage","previewVideo","previewFit"],this.state={}}update(){this.iframeTriggerSelector=this.Reveal.getConfig().previewLinks?"a[href]:not([data-preview-link=false]), [data-preview-link]:not(a):not([data-preview-link=false])":"[data-preview-link]:not([data-preview-link=false])";let e=this.Reveal.getSlidesElement().querySelectorAll(this.iframeTriggerSelector).length>0,t=this.Reveal.getSlidesElement().querySelectorAll(this.mediaTriggerSelector).length>0;e||t?this.Reveal.getSlidesElement().addEventListener("click",this.onSlidesClicked,!1):this.Reveal.getSlidesElement().removeEventListener("click",this.onSlidesClicked,!1)}createOverlay(e){this.dom=document.createElement("div"),this.dom.classList.add("r-overlay"),this.dom.classList.add(e),this.viewport=document.createElement("div"),this.viewport.classList.add("r-overlay-viewport"),this.dom.appendChild(this.viewport),this.Reveal.getRevealElement().appendChild(this.dom)}previewIframe(e){if(typeof e!="string")return;let t;try{t=new URL(e,document.baseURI)}catch{return}if(t.protocol==="file:"&&window.location.protocol!=="file:"||!["http:","https:","file:"].includes(t.protocol)&&t.href!=="about:blank")return;this.close(),this.state={previewIframe:e},this.createOverlay("r-overlay-preview"),this.dom.dataset.state="loading",this.viewport.innerHTML=`<header class="r-overlay-header">
				<a class="r-overlay-header-button r-overlay-external" target="_blank" rel="noopener"><span class="icon"></span></a>
				<button class="r-overlay-header-button r-overlay-close"><span class="icon"></span></button>
			</header>
			<div class="r-overlay-spinner"></div>
			<div class="r-overlay-content">
				<iframe></iframe>
				<small class="r-overlay-content-inner">
					<span class="r-overlay-error x-frame-error">Unable to load iframe. This is likely due to the site's policy (x-frame-options).</span>
				</small>
			</div>`;let n=this.dom.querySelector("iframe");n.addEventListener("load",i=>{this.dom.dataset.state="loaded"},!1),n.src=t.href,this.dom.querySelector(".r-overlay-external").href=t.href,this.dom.querySelector(".r-overlay-close").addEventListener("click",i=>{this.close(),i.preventDefault()},!1),this.dom.querySelector(".r-overlay-external").addEventListener("click",i=>{this.close()},!1),this.Reveal.dispatchEvent({type:"previewiframe",data:{url:e}})}previewMedia(e,t,n){if(t!=="image"&&t!=="video"){console.warn("Please specify a valid media type to preview (image|video)");return}this.close(),n=n||"scale-down",this.createOverlay("r-overlay-preview"),this.dom.dataset.state="loading",this.dom.dataset.previewFit=n,this.viewport.innerHTML=`<header class="r-overlay-header">
				<button class="r-overlay-header-button r-overlay-close">Esc <span class="icon"></span></button>
			</header>
			<div class="r-overlay-spinner"></div>
			<div class="r-overlay-content"></div>`;let i=this.dom.querySelector(".r-overlay-content");if(t==="image"){this.state={previewImage:e,previewFit:n};let s=document.createElement("img",{});s.src=e,i.appendChild(s),s.addEventListener("load",()=>{this.dom.dataset.state="loaded"},!1),s.addEventListener("error",()=>{this.dom.dataset.state="error",i.innerHTML='<span class="r-overlay-error">Unable to load image.</span>'},!1),this.dom.style.cursor="zoom-out",this.dom.addEventListener("click",a=>{this.close()},!1),this.Reveal.dispatchEvent({type:"previewimage",data:{url:e}})}else if(t==="video"){this.state={previewVideo:e,previewFit:n};let s=document.createElement("video");s.autoplay=this.dom.dataset.previewAutoplay!=="false",s.controls=this.dom.dataset.previewControls!=="false",s.loop=this.dom.dataset.previewLoop==="true",s.muted=this.dom.dataset.previewMuted==="true",s.playsInline=!0,s.src=e,i.appendChild(s),s.addEventListener("loadeddata",()=>{this.dom.dataset.state="loaded"},!1),s.addEventListener("error",()=>{this.dom.dataset.state="error",i.innerHTML='<span class="r-overlay-error">Unable to load video.</span>'},!1),this.Reveal.dispatchEvent({type:"previewvideo",data:{url:e}})}else throw Error("Please specify a valid media type to preview");this.dom.querySelector(".r-overlay-close").addEventListener("click",s=>{this.close(),s.preventDefault()},!1)}previewImage(e,t){this.previewMedia(e,"image",t)}previewVideo(e,t){this.previewMedia(e,"video",t)}toggleHelp(e){typeof e=="boolean"?e?this.showHelp():this.close():this.dom?this.close():this.showHelp()}showHelp(){if(this.Reveal.getConfig().help){this.close(),this.createOverlay("r-overlay-help");let e='<p class="title">Keyboard Shortcuts</p>',t=this.Reveal.keyboard.getShortcuts(),n=this.Reveal.keyboard.getBindings();e+="<table><th>KEY</th><th>ACTION</th>";for(let i in t)e+=`<tr><td>${i}</td><td>${t[i]}</td></tr>`;for(let i in n)n[i].key&&n[i].description&&(e+=`<tr><td>${n[i].key}</td><td>${n[i].description}</td></tr>`);e+="</table>",this.viewport.innerHTML=`
				<header class="r-overlay-header">
					<button class="r-overlay-header-button r-overlay-close">Esc <span class="icon"></span></button>
				</header>
				<div class="r-overlay-content">
					<div class="r-overlay-help-content">${e}</div>
				</div>
			`,this.dom.querySelector(".r-overlay-close").addEventListener("click",i=>{this.close(),i.preventDefault()},!1),this.Reveal.dispatchEvent({type:"showhelp"})}}isOpen(){return!!this.dom}close(){return this.dom?(this.dom.remove(),this.dom=null,this.state={},this.Reveal.dispatchEvent({type:"closeoverlay"}),!0):!1}getState(){return this.state}setState(e){this.stateProps.every(t=>this.state[t]===e[t])||(e.previewIframe?this.previewIframe(e.previewIframe):e.previewImage?this.previewImage(e.previewImage,e.previewFit):e.previewVideo?this.previewVideo(e.previewVideo,e.previewFit):this.close())}onSlidesClicked(e){let t=e.target,n=t.closest(this.iframeTriggerSelector),i=t.closest(this.mediaTriggerSelector);if(n){if(e.metaKey||e.shiftKey||e.altKey)return;let s=n.getAttribute("data-preview-link"),a=typeof s=="string"&&s.startsWith("http")?s:n.getAttribute("href");a&&(this.previewIframe(a),e.preventDefault())}else if(i){if(i.hasAttribute("data-preview-image")){let s=i.dataset.previewImage||i.getAttribute("src");s&&(this.previewImage(s,i.dataset.previewFit),e.preventDefault())}else if(i.hasAttribute("data-preview-video")){let s=i.dataset.previewVideo||i.getAttribute("src");if(!s){let a=i.querySelector("source");a&&(s=a.getAttribute("src"))}s&&(this.previewVideo(s,i.dataset.previewFit),e.preventDefault())}}}destroy(){this.close()}},mn=40,Zi=1.03,Ji=class{constructor(e){this.Reveal=e,this.touchStartX=0,this.touchStartY=0,this.touchStartCount=0,this.touchCaptured=!1,this.activePointers=new Map,this.onPointerDown=this.onPointerDown.bind(this),this.onPointerMove=this.onPointerMove.bind(this),this.onPointerUp=this.onPointerUp.bind(this),this.onPointerCancel=this.onPointerCancel.bind(this),this.onTouchStart=this.onTouchStart.bind(this),this.onTouchMove=this.onTouchMove.bind(this),this.onTouchEnd=this.onTouchEnd.bind(this)}bind(){let e=this.Reveal.getRevealElement();"onpointerdown"in window?(e.addEventListener("pointerdown",this.onPointerDown,!1),e.addEventListener("pointermove",this.onPointerMove,!1),e.addEventListener("pointerup",this.onPointerUp,!1),e.addEventListener("pointercancel",this.onPointerCancel,!1)):(e.addEventListener("touchstart",this.onTouchStart,!1),e.addEventListener("touchmove",this.onTouchMove,!1),e.addEventListener("touchend",this.onTouchEnd,!1))}unbind(){let e=this.Reveal.getRevealElement();e.removeEventListener("pointerdown",this.onPointerDown,!1),e.removeEventListener("pointermove",this.onPointerMove,!1),e.removeEventListener("pointerup",this.onPointerUp,!1),e.removeEventListener("pointercancel",this.onPointerCancel,!1),e.removeEventListener("touchstart",this.onTouchStart,!1),e.removeEventListener("touchmove",this.onTouchMove,!1),e.removeEventListener("touchend",this.onTouchEnd,!1)}isSwipePrevented(e){if(_e(e,"video[controls], audio[controls]"))return!0;for(;e&&typeof e.hasAttribute=="function";){if(e.hasAttribute("data-prevent-swipe"))return!0;e=e.parentNode}return!1}isViewportZoomed(){if(!window.visualViewport||typeof window.visualViewport.scale!="number")return!1;let e=window.visualViewport.scale;return this.visualViewportBaseScale=this.visualViewportBaseScale===void 0?e:Math.min(this.visualViewportBaseScale,e),e/this.visualViewportBaseScale>Zi}onTouchStart(e){if(this.touchCaptured=!1,this.isSwipePrevented(e.target))return!0;this.touchStartX=e.touches[0].clientX,this.touchStartY=e.touches[0].clientY,this.touchStartCount=e.touches.length}onTouchMove(e){if(this.isSwipePrevented(e.target))return!0;let t=this.Reveal.getConfig();if(this.touchCaptured)yn&&e.preventDefault();else{this.Reveal.onUserInput(e);let n=e.touches[0].clientX,i=e.touches[0].clientY;if(e.touches.length===1&&this.touchStartCount!==2){let s=this.Reveal.availableRoutes({includeFragments:!0}),a=n-this.touchStartX,r=i-this.touchStartY;a>mn&&Math.abs(a)>Math.abs(r)?(this.touchCaptured=!0,t.navigationMode==="linear"?t.rtl?this.Reveal.next():this.Reveal.prev():this.Reveal.left()):a<-40&&Math.abs(a)>Math.abs(r)?(this.touchCaptured=!0,t.navigationMode==="linear"?t.rtl?this.Reveal.prev():this.Reveal.next():this.Reveal.right()):r>mn&&s.up?(this.touchCaptured=!0,t.navigationMode==="linear"?this.Reveal.prev():this.Reveal.up()):r<-40&&s.down&&(this.touchCaptured=!0,t.navigationMode==="linear"?this.Reveal.next():this.Reveal.down()),t.embedded?(this.touchCaptured||this.Reveal.isVerticalSlide())&&e.preventDefault():e.preventDefault()}}}onTouchEnd(e){this.touchCaptured&&!this.Reveal.slideContent.isAllowedToPlayAudio()&&this.Reveal.startEmbeddedContent(this.Reveal.getCurrentSlide()),this.touchCaptured=!1}getActiveTouches(){return Array.from(this.activePointers.values(),e=>({clientX:e.clientX,clientY:e.clientY}))}onPointerDown(e){e.pointerType==="touch"&&(this.activePointers.set(e.pointerId,e),e.touches=this.getActiveTouches(),this.onTouchStart(e))}onPointerMove(e){e.pointerType==="touch"&&(this.activePointers.set(e.pointerId,e),e.touches=this.getActiveTouches(),this.onTouchMove(e))}onPointerUp(e){e.pointerType==="touch"&&(this.activePointers.delete(e.pointerId),e.touches=this.getActiveTouches(),this.onTouchEnd(e))}onPointerCancel(e){e.pointerType==="touch"&&(this.activePointers.delete(e.pointerId),e.touches=this.getActiveTouches(),this.onTouchEnd(e))}},gt="focus",vn="blur",Qi=class{constructor(e){this.Reveal=e,this.onRevealPointerDown=this.onRevealPointerDown.bind(this),this.onDocumentPointerDown=this.onDocumentPointerDown.bind(this)}configure(e,t){e.embedded?this.blur():(this.focus(),this.unbind())}bind(){this.Reveal.getConfig().embedded&&this.Reveal.getRevealElement().addEventListener("pointerdown",this.onRevealPointerDown,!1)}unbind(){this.Reveal.getRevealElement().removeEventListener("pointerdown",this.onRevealPointerDown,!1),document.removeEventListener("pointerdown",this.onDocumentPointerDown,!1)}focus(){this.state!==gt&&(this.Reveal.getRevealElement().classList.add("focused"),document.addEventListener("pointerdown",this.onDocumentPointerDown,!1)),this.state=gt}blur(){this.state!==vn&&(this.Reveal.getRevealElement().classList.remove("focused"),document.removeEventListener("pointerdown",this.onDocumentPointerDown,!1)),this.state=vn}isFocused(){return this.state===gt}destroy(){this.Reveal.getRevealElement().classList.remove("focused")}onRevealPointerDown(e){this.focus()}onDocumentPointerDown(e){let t=W(e.target,".reveal");(!t||t!==this.Reveal.getRevealElement())&&this.blur()}},Yi=class{constructor(e){this.Reveal=e}render(){this.element=document.createElement("div"),this.element.className="speaker-notes",this.element.setAttribute("data-prevent-swipe",""),this.element.setAttribute("tabindex","0"),this.Reveal.getRevealElement().appendChild(this.element)}configure(e,t){e.showNotes&&this.element.setAttribute("data-layout",typeof e.showNotes=="string"?e.showNotes:"inline")}update(){this.Reveal.getConfig().showNotes&&this.element&&this.Reveal.getCurrentSlide()&&!this.Reveal.isScrollView()&&!this.Reveal.isPrintView()&&(this.element.innerHTML=this.getSlideNotes()||'<span class="notes-placeholder">No notes on this slide.</span>')}updateVisibility(){this.Reveal.getConfig().showNotes&&this.hasNotes()&&!this.Reveal.isScrollView()&&!this.Reveal.isPrintView()?this.Reveal.getRevealElement().classList.add("show-notes"):this.Reveal.getRevealElement().classList.remove("show-notes")}hasNotes(){return this.Reveal.getSlidesElement().querySelectorAll("[data-notes], aside.notes").length>0}isSpeakerNotesWindow(){return!!window.location.search.match(/receiver/gi)}getSlideNotes(e=this.Reveal.getCurrentSlide()){if(e.hasAttribute("data-notes"))return e.getAttribute("data-notes");let t=e.querySelectorAll("aside.notes");return t?Array.from(t).map(n=>n.innerHTML).join(`
`):null}destroy(){this.element.remove()}},Gi=class{constructor(e,t){this.diameter=100,this.diameter2=this.diameter/2,this.thickness=6,this.playing=!1,this.progress=0,this.progressOffset=1,this.container=e,this.progressCheck=t,this.canvas=document.createElement("canvas"),this.canvas.className="playback",this.canvas.width=this.diameter,this.canvas.height=this.diameter,this.canvas.style.width=this.diameter2+"px",this.canvas.style.height=this.diameter2+"px",this.context=this.canvas.getContext("2d"),this.container.appendChild(this.canvas),this.render()}setPlaying(e){let t=this.playing;this.playing=e,!t&&this.playing?this.animate():this.render()}animate(){let e=this.progress;this.progress=this.progressCheck(),e>.8&&this.progress<.2&&(this.progressOffset=this.progress),this.render(),this.playing&&requestAnimationFrame(this.animate.bind(this))}render(){let e=this.playing?this.progress:0,t=this.diameter2-this.thickness,n=this.diameter2,i=this.diameter2;this.progressOffset+=(1-this.progressOffset)*.1;let s=-Math.PI/2+Math.PI*2*e,a=-Math.PI/2+this.progressOffset*(Math.PI*2);this.context.save(),this.context.clearRect(0,0,this.diameter,this.diameter),this.context.beginPath(),this.context.arc(n,i,t+4,0,Math.PI*2,!1),this.context.fillStyle="rgba( 0, 0, 0, 0.4 )",this.context.fill(),this.context.beginPath(),this.context.arc(n,i,t,0,Math.PI*2,!1),this.context.lineWidth=this.thickness,this.context.strokeStyle="rgba( 255, 255, 255, 0.2 )",this.context.stroke(),this.playing&&(this.context.beginPath(),this.context.arc(n,i,t,a,s,!1),this.context.lineWidth=this.thickness,this.context.strokeStyle="#fff",this.context.stroke()),this.context.translate(n-14,i-14),this.playing?(this.context.fillStyle="#fff",this.context.fillRect(0,0,10,28),this.context.fillRect(18,0,10,28)):(this.context.beginPath(),this.context.translate(4,0),this.context.moveTo(0,0),this.context.lineTo(24,14),this.context.lineTo(0,28),this.context.fillStyle="#fff",this.context.fill()),this.context.restore()}on(e,t){this.canvas.addEventListener(e,t,!1)}off(e,t){this.canvas.removeEventListener(e,t,!1)}destroy(){this.playing=!1,this.canvas.parentNode&&this.container.removeChild(this.canvas)}},es={width:960,height:700,margin:.04,minScale:.2,maxScale:2,controls:!0,controlsTutorial:!0,controlsLayout:"bottom-right",controlsBackArrows:"faded",progress:!0,slideNumber:!1,showSlideNumber:"all",hashOneBasedIndex:!1,hash:!1,respondToHashChanges:!0,jumpToSlide:!0,history:!1,keyboard:!0,keyboardCondition:null,disableLayout:!1,overview:!0,center:!0,touch:!0,loop:!1,rtl:!1,navigationMode:"default",shuffle:!1,fragments:!0,fragmentInURL:!0,embedded:!1,help:!0,pause:!0,showNotes:!1,showHiddenSlides:!1,autoPlayMedia:null,preloadIframes:null,mouseWheel:!1,previewLinks:!1,viewDistance:3,mobileViewDistance:2,display:"block",hideInactiveCursor:!0,hideCursorTime:5e3,sortFragmentsOnSync:!0,autoAnimate:!0,autoAnimateMatcher:null,autoAnimateEasing:"ease",autoAnimateDuration:1,autoAnimateUnmatched:!0,autoAnimateStyles:["opacity","color","background-color","padding","font-size","line-height","letter-spacing","border-width","border-color","border-radius","outline","outline-offset"],autoSlide:0,autoSlideStoppable:!0,autoSlideMethod:null,defaultTiming:null,postMessage:!0,postMessageEvents:!1,focusBodyOnPageVisibilityChange:!0,transition:"slide",transitionSpeed:"default",backgroundTransition:"fade",parallaxBackgroundImage:"",parallaxBackgroundSize:"",parallaxBackgroundRepeat:"",parallaxBackgroundPosition:"",parallaxBackgroundHorizontal:null,parallaxBackgroundVertical:null,view:null,scrollLayout:"full",scrollSnap:"mandatory",scrollProgress:"auto",scrollActivationWidth:435,pdfMaxPagesPerSlide:1/0,pdfSeparateFragments:!0,pdfPageHeightOffset:-1,dependencies:[],plugins:[]},wn="6.0.2";function kn(e,t){arguments.length<2&&(t=arguments[0],e=document.querySelector(".reveal"));let n={},i={},s=!1,a=!1,r,o,l,d,p={hasNavigatedHorizontally:!1,hasNavigatedVertically:!1},g=[],m=1,w={layout:"",overview:""},h={},S="idle",P=0,D,Z=0,re=-1,j=!1,E=new Ai(n),B=new Ti(n),_=new Pi(n),z=new Mi(n),O=new Ii(n),A=new Di(n),U=new qi(n),R=new Oi(n),v=new Fi(n),x=new Vi(n),M=new ji(n),ie=new Ui(n),Q=new Wi(n),ce=new _i(n),F=new Ki(n),$=new Xi(n),me=new Qi(n),tt=new Ji(n),G=new Yi(n);function qn(c){if(!e)throw'Unable to find presentation root (<div class="reveal">).';if(s)throw"Reveal.js has already been initialized.";if(s=!0,h.wrapper=e,h.slides=e.querySelector(".slides"),!h.slides)throw'Unable to find slides container (<div class="slides">).';return i=ee(ee(ee(ee(ee({},es),i),t),c),cn()),/print-pdf/gi.test(window.location.search)&&(i.view="print"),On(),window.addEventListener("load",we,!1),F.load(i.plugins,i.dependencies).then(Fn),new Promise(u=>n.on("ready",u))}function On(){i.embedded===!0?h.viewport=W(e,".reveal-viewport")||e:(h.viewport=document.body,document.documentElement.classList.add("reveal-full-page")),h.viewport.classList.add("reveal-viewport")}function Fn(){s!==!1&&(a=!0,Ct(),jn(),Kn(),Wn(),_n(),ni(),Mt(),O.update(!0),Vn(),M.readURL(),setTimeout(()=>{h.slides.classList.remove("no-transition"),h.wrapper.classList.add("ready"),J({type:"ready",data:{indexh:r,indexv:o,currentSlide:d}})},1))}function Vn(){let c=i.view==="print",u=i.view==="scroll"||i.view==="reader";(c||u)&&(c?Be():tt.unbind(),h.viewport.classList.add("loading-scroll-mode"),c?document.readyState==="complete"?U.activate():window.addEventListener("load",()=>U.activate()):A.activate())}function Ct(){i.showHiddenSlides||k(h.wrapper,'section[data-visibility="hidden"]').forEach(c=>{let u=c.parentNode;u.childElementCount===1&&/section/i.test(u.nodeName)?u.remove():c.remove()})}function jn(){h.slides.classList.add("no-transition"),ve?h.wrapper.classList.add("no-hover"):h.wrapper.classList.remove("no-hover"),O.render(),B.render(),_.render(),ie.render(),Q.render(),G.render(),h.pauseOverlay=fi(h.wrapper,"div","pause-overlay",i.controls?'<button class="resume-button">Resume presentation</button>':null),h.statusElement=Un(),h.wrapper.setAttribute("role","application")}function Un(){let c=h.wrapper.querySelector(".aria-status");return c||(c=document.createElement("div"),c.style.position="absolute",c.style.height="1px",c.style.width="1px",c.style.overflow="hidden",c.style.clip="rect( 1px, 1px, 1px, 1px )",c.classList.add("aria-status"),c.setAttribute("aria-live","polite"),c.setAttribute("aria-atomic","true"),h.wrapper.appendChild(c)),c}function nt(c){h.statusElement.textContent=c}function Ne(c){let u="";if(c.nodeType===3)u+=c.textContent.trim();else if(c.nodeType===1){let f=c.getAttribute("aria-hidden"),b=window.getComputedStyle(c).display==="none";if(f!=="true"&&!b){if(c.tagName==="IMG"||c.tagName==="VIDEO"){let y=c.getAttribute("alt");y&&(u+=It(y))}Array.from(c.childNodes).forEach(y=>{u+=Ne(y)}),["P","DIV","UL","OL","LI","H1","H2","H3","H4","H5","H6","BLOCKQUOTE"].includes(c.tagName)&&u.trim()!==""&&(u=It(u))}}return u=u.trim(),u===""?"":u+" "}function It(c){let u=c.trim();return u===""?c:/[.!?]$/.test(u)?u:u+"."}function Wn(){setInterval(()=>{(!A.isActive()&&h.wrapper.scrollTop!==0||h.wrapper.scrollLeft!==0)&&(h.wrapper.scrollTop=0,h.wrapper.scrollLeft=0)},1e3)}function _n(){document.addEventListener("fullscreenchange",Ve),document.addEventListener("webkitfullscreenchange",Ve)}function Kn(){i.postMessage&&window.addEventListener("message",sn,!1)}function Mt(c){let u=ee({},i);if(typeof c=="object"&&Ee(i,c),n.isReady()===!1)return;let f=h.wrapper.querySelectorAll(ge).length;h.wrapper.classList.remove(u.transition),h.wrapper.classList.add(i.transition),h.wrapper.setAttribute("data-transition-speed",i.transitionSpeed),h.wrapper.setAttribute("data-background-transition",i.backgroundTransition),h.viewport.style.setProperty("--slide-width",typeof i.width=="string"?i.width:i.width+"px"),h.viewport.style.setProperty("--slide-height",typeof i.height=="string"?i.height:i.height+"px"),i.shuffle&&rt(),ut(h.wrapper,"embedded",i.embedded),ut(h.wrapper,"rtl",i.rtl),ut(h.wrapper,"center",i.center),i.pause===!1&&Re(),z.reset(),D&&(D.destroy(),D=null),f>1&&i.autoSlide&&i.autoSlideStoppable&&(D=new Gi(h.wrapper,()=>Math.min(Math.max((Date.now()-re)/P,0),1)),D.on("click",di),j=!1),i.navigationMode==="default"?h.wrapper.removeAttribute("data-navigation-mode"):h.wrapper.setAttribute("data-navigation-mode",i.navigationMode),G.configure(i,u),me.configure(i,u),ce.configure(i,u),ie.configure(i,u),Q.configure(i,u),x.configure(i,u),R.configure(i,u),B.configure(i,u),Wt()}function Nt(){window.addEventListener("resize",ln,!1),i.touch&&tt.bind(),i.keyboard&&x.bind(),i.progress&&Q.bind(),i.respondToHashChanges&&M.bind(),ie.bind(),me.bind(),h.slides.addEventListener("click",rn,!1),h.slides.addEventListener("transitionend",an,!1),h.pauseOverlay.addEventListener("click",Re,!1),i.focusBodyOnPageVisibilityChange&&document.addEventListener("visibilitychange",on,!1)}function Be(){tt.unbind(),me.unbind(),x.unbind(),ie.unbind(),Q.unbind(),M.unbind(),window.removeEventListener("resize",ln,!1),h.slides.removeEventListener("click",rn,!1),h.slides.removeEventListener("transitionend",an,!1),h.pauseOverlay.removeEventListener("click",Re,!1)}function Xn(){s=!1,a!==!1&&(Be(),De(),G.destroy(),me.destroy(),$.destroy(),F.destroy(),ce.destroy(),ie.destroy(),Q.destroy(),O.destroy(),B.destroy(),_.destroy(),document.removeEventListener("fullscreenchange",Ve),document.removeEventListener("webkitfullscreenchange",Ve),document.removeEventListener("visibilitychange",on,!1),window.removeEventListener("message",sn,!1),window.removeEventListener("load",we,!1),h.pauseOverlay&&h.pauseOverlay.remove(),h.statusElement&&h.statusElement.remove(),document.documentElement.classList.remove("reveal-full-page"),h.wrapper.classList.remove("ready","center","has-horizontal-slides","has-vertical-slides"),h.wrapper.removeAttribute("data-transition-speed"),h.wrapper.removeAttribute("data-background-transition"),h.viewport.classList.remove("reveal-viewport"),h.viewport.style.removeProperty("--slide-width"),h.viewport.style.removeProperty("--slide-height"),h.slides.style.removeProperty("width"),h.slides.style.removeProperty("height"),h.slides.style.removeProperty("zoom"),h.slides.style.removeProperty("left"),h.slides.style.removeProperty("top"),h.slides.style.removeProperty("bottom"),h.slides.style.removeProperty("right"),h.slides.style.removeProperty("transform"),Array.from(h.wrapper.querySelectorAll(ge)).forEach(c=>{c.style.removeProperty("display"),c.style.removeProperty("top"),c.removeAttribute("hidden"),c.removeAttribute("aria-hidden"),c.removeAttribute("inert")}))}function Bt(c,u,f){e.addEventListener(c,u,f)}function zt(c,u,f){e.removeEventListener(c,u,f)}function it(c){typeof c.layout=="string"&&(w.layout=c.layout),typeof c.overview=="string"&&(w.overview=c.overview),w.layout?pe(h.slides,w.layout+" "+w.overview):pe(h.slides,w.overview)}function J({target:c=h.wrapper,type:u,data:f,bubbles:b=!0}){let y=document.createEvent("HTMLEvents",1,2);return y.initEvent(u,b,!0),Ee(y,f),c.dispatchEvent(y),c===h.wrapper&&Dt(u),y}function Ht(c){J({type:"slidechanged",data:{indexh:r,indexv:o,previousSlide:l,currentSlide:d,origin:c}})}function Dt(c,u){if(i.postMessageEvents&&window.parent!==window.self){let f={namespace:"reveal",eventName:c,state:tn()};Ee(f,u),window.parent.postMessage(JSON.stringify(f),"*")}}function we(){if(h.wrapper&&!U.isActive()){let c=h.viewport.offsetWidth,u=h.viewport.offsetHeight;if(!i.disableLayout){ve&&!i.embedded&&document.documentElement.style.setProperty("--vh",window.innerHeight*.01+"px");let f=A.isActive()?ze(c,u):ze(),b=m;$t(i.width,i.height),h.slides.style.width=f.width+"px",h.slides.style.height=f.height+"px",m=Math.min(f.presentationWidth/f.width,f.presentationHeight/f.height),m=Math.max(m,i.minScale),m=Math.min(m,i.maxScale),m=Math.round(m*100)/100,m===1||A.isActive()?(h.slides.style.zoom="",h.slides.style.left="",h.slides.style.top="",h.slides.style.bottom="",h.slides.style.right="",it({layout:""})):(h.slides.style.zoom="",h.slides.style.left="50%",h.slides.style.top="50%",h.slides.style.bottom="auto",h.slides.style.right="auto",it({layout:"translate(-50%, -50%) scale("+m+")"}));let y=Array.from(h.wrapper.querySelectorAll(ge)).filter(L=>L.style.display!=="none"),C=Array(y.length);for(let L=0,q=y.length;L<q;L++){let K=y[L];i.center||K.classList.contains("center")?K.classList.contains("stack")?C[L]=0:C[L]=Math.max((f.height-K.scrollHeight)/2,0)+"px":C[L]=""}for(let L=0,q=y.length;L<q;L++)y[L].style.top=C[L];b!==m&&J({type:"resize",data:{oldScale:b,scale:m,size:f}})}Zn(),h.viewport.style.setProperty("--slide-scale",m),h.viewport.style.setProperty("--viewport-width",c+"px"),h.viewport.style.setProperty("--viewport-height",u+"px"),A.layout(),Q.update(),O.updateParallax(),v.isActive()&&v.update()}}function $t(c,u){k(h.slides,"section > .stretch, section > .r-stretch").forEach(f=>{let b=bi(f,u);if(/(img|video)/gi.test(f.nodeName)){let y=f.naturalWidth||f.videoWidth,C=f.naturalHeight||f.videoHeight,L=Math.min(c/y,b/C);f.style.width=y*L+"px",f.style.height=C*L+"px"}else f.style.width=c+"px",f.style.height=b+"px"})}function Zn(){if(h.wrapper&&!i.disableLayout&&!U.isActive()&&typeof i.scrollActivationWidth=="number"&&i.view!=="scroll"){let c=ze();c.presentationWidth>0&&c.presentationWidth<=i.scrollActivationWidth?A.isActive()||(O.create(),A.activate()):A.isActive()&&A.deactivate()}}function ze(c,u){let f=i.width,b=i.height;i.disableLayout&&(f=h.slides.offsetWidth,b=h.slides.offsetHeight);let y={width:f,height:b,presentationWidth:c||h.wrapper.offsetWidth,presentationHeight:u||h.wrapper.offsetHeight};return y.presentationWidth-=y.presentationWidth*i.margin,y.presentationHeight-=y.presentationHeight*i.margin,typeof y.width=="string"&&/%$/.test(y.width)&&(y.width=parseInt(y.width,10)/100*y.presentationWidth),typeof y.height=="string"&&/%$/.test(y.height)&&(y.height=parseInt(y.height,10)/100*y.presentationHeight),y}function qt(c,u){typeof c=="object"&&typeof c.setAttribute=="function"&&c.setAttribute("data-previous-indexv",u||0)}function Ot(c){if(typeof c=="object"&&typeof c.setAttribute=="function"&&c.classList.contains("stack")){let u=c.hasAttribute("data-start-indexv")?"data-start-indexv":"data-previous-indexv";return parseInt(c.getAttribute(u)||0,10)}return 0}function Ae(c=d){return c&&c.parentNode&&!!c.parentNode.nodeName.match(/section/i)}function Jn(c=d){return c.classList.contains(".stack")||c.querySelector("section")!==null}function Ft(){return d&&Ae(d)?!d.nextElementSibling:!1}function Vt(){return r===0&&o===0}function st(){return d?!(d.nextElementSibling||Ae(d)&&d.parentNode.nextElementSibling):!1}function jt(){if(i.pause){let c=h.wrapper.classList.contains("paused");De(),h.wrapper.classList.add("paused"),c===!1&&J({type:"paused"})}}function Re(){let c=h.wrapper.classList.contains("paused");h.wrapper.classList.remove("paused"),ke(),c&&J({type:"resumed"})}function Ut(c){typeof c=="boolean"?c?jt():Re():Le()?Re():jt()}function Le(){return h.wrapper.classList.contains("paused")}function Qn(c){typeof c=="boolean"?c?_.show():_.hide():_.isVisible()?_.hide():_.show()}function Yn(c){typeof c=="boolean"?c?qe():$e():j?qe():$e()}function Gn(){return!!(P&&!j)}function se(c,u,f,b){if(J({type:"beforeslidechange",data:{indexh:c===void 0?r:c,indexv:u===void 0?o:u,origin:b}}).defaultPrevented)return;l=d;let y=h.wrapper.querySelectorAll(oe);if(A.isActive()){let V=A.getSlideByIndices(c,u);V&&A.scrollToSlide(V);return}if(y.length===0)return;u===void 0&&!v.isActive()&&(u=Ot(y[c])),l&&l.parentNode&&l.parentNode.classList.contains("stack")&&qt(l.parentNode,o);let C=g.concat();g.length=0;let L=r||0,q=o||0;r=He(oe,c===void 0?r:c),o=He(pt,u===void 0?o:u);let K=r!==L||o!==q;K||(l=null);let ue=y[r],Y=ue.querySelectorAll("section");e.classList.toggle("is-vertical-slide",Y.length>1),d=Y[o]||ue;let H=!1;K&&l&&d&&!v.isActive()&&(S="running",H=at(l,d,L,q),H&&h.slides.classList.add("disable-slide-transitions")),lt(),we(),v.isActive()&&v.update(),f!==void 0&&R.goto(f),l&&l!==d&&(l.classList.remove("present"),l.setAttribute("aria-hidden","true"),Vt()&&setTimeout(()=>{si().forEach(V=>{qt(V,0)})},0));e:for(let V=0,je=g.length;V<je;V++){for(let Ue=0;Ue<C.length;Ue++)if(C[Ue]===g[V]){C.splice(Ue,1);continue e}h.viewport.classList.add(g[V]),J({type:g[V]})}for(;C.length;)h.viewport.classList.remove(C.pop());K&&(E.afterSlideChanged(),Ht(b)),(K||!l)&&(E.stopEmbeddedContent(l),E.startEmbeddedContent(d)),requestAnimationFrame(()=>{nt(Ne(d))}),Q.update(),ie.update(),G.update(),O.update(),O.updateParallax(),B.update(),R.update(),M.writeURL(),ke(),H&&(setTimeout(()=>{h.slides.classList.remove("disable-slide-transitions")},0),i.autoAnimate&&z.run(l,d))}function at(c,u,f,b){return c.hasAttribute("data-auto-animate")&&u.hasAttribute("data-auto-animate")&&c.getAttribute("data-auto-animate-id")===u.getAttribute("data-auto-animate-id")&&!(r>f||o>b?u:c).hasAttribute("data-auto-animate-restart")}function ei(c,u,f){let b=r||0;r=u,o=f;let y=d!==c;l=d,d=c,d&&l&&i.autoAnimate&&at(l,d,b,o)&&z.run(l,d),y&&(E.afterSlideChanged(),l&&(E.stopEmbeddedContent(l),E.stopEmbeddedContent(l.slideBackgroundElement)),E.startEmbeddedContent(d),E.startEmbeddedContent(d.slideBackgroundElement)),requestAnimationFrame(()=>{nt(Ne(d))}),Ht()}function Wt(){Be(),Nt(),we(),P=i.autoSlide,ke(),O.create(),M.writeURL(),i.sortFragmentsOnSync===!0&&R.sortAll(),r!==void 0&&(r=He(oe,r),o=He(pt,o)),ie.update(),Q.update(),lt(),G.update(),G.updateVisibility(),$.update(),O.update(!0),B.update(),E.formatEmbeddedContent(),i.autoPlayMedia===!1?E.stopEmbeddedContent(d,{unloadIframes:!1}):E.startEmbeddedContent(d),v.isActive()&&v.layout(),J({type:"sync"})}function ti(c=d){O.sync(c),R.sync(c),E.load(c),O.update(),G.update(),J({type:"slidesync",data:{slide:c}})}function ni(){he().forEach(c=>{k(c,"section").forEach((u,f)=>{f>0&&(u.classList.remove("present"),u.classList.remove("past"),u.classList.add("future"),u.setAttribute("aria-hidden","true"))})})}function rt(c=he()){c.forEach((u,f)=>{let b=c[Math.floor(Math.random()*c.length)];b.parentNode===u.parentNode&&u.parentNode.insertBefore(u,b);let y=u.querySelectorAll("section");y.length&&rt(y)})}function He(c,u){let f=k(h.wrapper,c),b=f.length,y=A.isActive()||U.isActive(),C=!1,L=!1;if(b){i.loop&&(u>=b&&(C=!0),u%=b,u<0&&(u=b+u,L=!0)),u=Math.max(Math.min(u,b-1),0);for(let Y=0;Y<b;Y++){let H=f[Y],V=i.rtl&&!Ae(H);if(H.classList.remove("past"),H.classList.remove("present"),H.classList.remove("future"),H.setAttribute("hidden",""),H.setAttribute("aria-hidden","true"),H.querySelector("section")&&H.classList.add("stack"),y){H.classList.add("present");continue}Y<u?(H.classList.add(V?"future":"past"),i.fragments&&_t(H)):Y>u?(H.classList.add(V?"past":"future"),i.fragments&&Kt(H)):Y===u&&i.fragments&&(C?Kt(H):L&&_t(H))}let q=f[u],K=q.classList.contains("present");q.classList.add("present"),q.removeAttribute("hidden"),q.removeAttribute("aria-hidden"),K||J({target:q,type:"visible",bubbles:!1});let ue=q.getAttribute("data-state");ue&&(g=g.concat(ue.split(" ")))}else u=0;return u}function _t(c){k(c,".fragment").forEach(u=>{u.classList.add("visible"),u.classList.remove("current-fragment")})}function Kt(c){k(c,".fragment.visible").forEach(u=>{u.classList.remove("visible","current-fragment")})}function lt(){let c=he(),u=c.length,f,b;if(u&&r!==void 0){let C=v.isActive(),L=C?10:i.viewDistance;ve&&(L=C?6:i.mobileViewDistance),U.isActive()&&(L=Number.MAX_VALUE);for(let q=0;q<u;q++){let K=c[q],ue=k(K,"section"),Y=ue.length;if(f=Math.abs((r||0)-q)||0,i.loop&&(f=Math.abs(((r||0)-q)%(u-L))||0),f<L?E.load(K):E.unload(K),Y){let H=C?0:Ot(K);for(let V=0;V<Y;V++){let je=ue[V];b=Math.abs(q===(r||0)?(o||0)-V:V-H),f+b<L?E.load(je):E.unload(je)}}}Yt()?h.wrapper.classList.add("has-vertical-slides"):h.wrapper.classList.remove("has-vertical-slides"),Qt()?h.wrapper.classList.add("has-horizontal-slides"):h.wrapper.classList.remove("has-horizontal-slides")}let y=v.isActive()||A.isActive()||U.isActive();k(h.wrapper,ge).forEach(C=>{C.toggleAttribute("inert",!y&&C!==d&&!C.contains(d))})}function le({includeFragments:c=!1}={}){let u=h.wrapper.querySelectorAll(oe),f=h.wrapper.querySelectorAll(pt),b={left:r>0,right:r<u.length-1,up:o>0,down:o<f.length-1};if(i.loop&&(u.length>1&&(b.left=!0,b.right=!0),f.length>1&&(b.up=!0,b.down=!0)),u.length>1&&i.navigationMode==="linear"&&(b.right=b.right||b.down,b.left=b.left||b.up),c===!0){let y=R.availableRoutes();b.left=b.left||y.prev,b.up=b.up||y.prev,b.down=b.down||y.next,b.right=b.right||y.next}if(i.rtl){let y=b.left;b.left=b.right,b.right=y}return b}function Xt(c=d){let u=he(),f=0;e:for(let b=0;b<u.length;b++){let y=u[b],C=y.querySelectorAll("section");for(let L=0;L<C.length;L++){if(C[L]===c)break e;C[L].dataset.visibility!=="uncounted"&&f++}if(y===c)break;y.classList.contains("stack")===!1&&y.dataset.visibility!=="uncounted"&&f++}return f}function ii(){let c=Gt(),u=Xt();if(d){let f=d.querySelectorAll(".fragment");if(f.length>0){let b=d.querySelectorAll(".fragment.visible");u+=b.length/f.length*.9}}return Math.min(u/(c-1),1)}function Zt(c){let u=r,f=o,b;if(c)if(A.isActive())u=parseInt(c.getAttribute("data-index-h"),10),c.getAttribute("data-index-v")&&(f=parseInt(c.getAttribute("data-index-v"),10));else{let y=Ae(c),C=y?c.parentNode:c,L=he();u=Math.max(L.indexOf(C),0),f=void 0,y&&(f=Math.max(k(c.parentNode,"section").indexOf(c),0))}if(!c&&d&&d.querySelectorAll(".fragment").length>0){let y=d.querySelector(".current-fragment");b=y&&y.hasAttribute("data-fragment-index")?parseInt(y.getAttribute("data-fragment-index"),10):d.querySelectorAll(".fragment.visible").length-1}return{h:u,v:f,f:b}}function ot(){return k(h.wrapper,ge+':not(.stack):not([data-visibility="uncounted"])')}function he(){return k(h.wrapper,oe)}function Jt(){return k(h.wrapper,".slides>section>section")}function si(){return k(h.wrapper,oe+".stack")}function Qt(){return he().length>1}function Yt(){return Jt().length>1}function ai(){return ot().map(c=>{let u={};for(let f=0;f<c.attributes.length;f++){let b=c.attributes[f];u[b.name]=b.value}return u})}function Gt(){return ot().length}function en(c,u){let f=he()[c],b=f&&f.querySelectorAll("section");return b&&b.length&&typeof u=="number"?b?b[u]:void 0:f}function ri(c,u){let f=typeof c=="number"?en(c,u):c;if(f)return f.slideBackgroundElement}function tn(){let c=Zt();return ee({indexh:c.h,indexv:c.v,indexf:c.f,paused:Le(),overview:v.isActive()},$.getState())}function li(c){if(typeof c=="object"){se(Se(c.indexh),Se(c.indexv),Se(c.indexf));let u=Se(c.paused),f=Se(c.overview);typeof u=="boolean"&&u!==Le()&&Ut(u),typeof f=="boolean"&&f!==v.isActive()&&v.toggle(f),$.setState(c)}}function ke(){if(De(),d&&i.autoSlide!==!1){let c=d.querySelector(".current-fragment[data-autoslide]"),u=c?c.getAttribute("data-autoslide"):null,f=d.parentNode?d.parentNode.getAttribute("data-autoslide"):null,b=d.getAttribute("data-autoslide");u?P=parseInt(u,10):b?P=parseInt(b,10):f?P=parseInt(f,10):(P=i.autoSlide,d.querySelectorAll(".fragment").length===0&&k(d,"video, audio").forEach(y=>{y.hasAttribute("data-autoplay")&&P&&y.duration*1e3/y.playbackRate>P&&(P=y.duration*1e3/y.playbackRate+1e3)})),P&&!j&&!Le()&&!v.isActive()&&(!st()||R.availableRoutes().next||i.loop===!0)&&(Z=setTimeout(()=>{typeof i.autoSlideMethod=="function"?i.autoSlideMethod():ht(),ke()},P),re=Date.now()),D&&D.setPlaying(Z!==-1)}}function De(){clearTimeout(Z),Z=-1}function $e(){P&&!j&&(j=!0,J({type:"autoslidepaused"}),clearTimeout(Z),D&&D.setPlaying(!1))}function qe(){P&&j&&(j=!1,J({type:"autoslideresumed"}),ke())}function Oe({skipFragments:c=!1}={}){if(p.hasNavigatedHorizontally=!0,A.isActive())return A.prev();i.rtl?(v.isActive()||c||R.next()===!1)&&le().left&&se(r+1,i.navigationMode==="grid"?o:void 0):(v.isActive()||c||R.prev()===!1)&&le().left&&se(r-1,i.navigationMode==="grid"?o:void 0)}function Fe({skipFragments:c=!1}={}){if(p.hasNavigatedHorizontally=!0,A.isActive())return A.next();i.rtl?(v.isActive()||c||R.prev()===!1)&&le().right&&se(r-1,i.navigationMode==="grid"?o:void 0):(v.isActive()||c||R.next()===!1)&&le().right&&se(r+1,i.navigationMode==="grid"?o:void 0)}function dt({skipFragments:c=!1}={}){if(A.isActive())return A.prev();(v.isActive()||c||R.prev()===!1)&&le().up&&se(r,o-1)}function ct({skipFragments:c=!1}={}){if(p.hasNavigatedVertically=!0,A.isActive())return A.next();(v.isActive()||c||R.next()===!1)&&le().down&&se(r,o+1)}function nn({skipFragments:c=!1}={}){if(A.isActive())return A.prev();if(c||R.prev()===!1)if(le().up)dt({skipFragments:c});else{let u;if(u=i.rtl?k(h.wrapper,oe+".future").pop():k(h.wrapper,oe+".past").pop(),u&&u.classList.contains("stack")){let f=u.querySelectorAll("section").length-1||void 0;se(r-1,f)}else i.rtl?Fe({skipFragments:c}):Oe({skipFragments:c})}}function ht({skipFragments:c=!1}={}){if(p.hasNavigatedHorizontally=!0,p.hasNavigatedVertically=!0,A.isActive())return A.next();if(c||R.next()===!1){let u=le();u.down&&u.right&&i.loop&&Ft()&&(u.down=!1),u.down?ct({skipFragments:c}):i.rtl?Oe({skipFragments:c}):Fe({skipFragments:c})}}function oi(c){i.autoSlideStoppable&&$e()}function sn(c){let u=c.data;if(typeof u=="string"&&u.charAt(0)==="{"&&u.charAt(u.length-1)==="}"&&(u=JSON.parse(u),u.method&&typeof n[u.method]=="function"))if(Li.test(u.method)===!1){let f=n[u.method].apply(n,u.args);Dt("callback",{method:u.method,result:f})}else console.warn('reveal.js: "'+u.method+'" is is blacklisted from the postMessage API')}function an(c){S==="running"&&/section/gi.test(c.target.nodeName)&&(S="idle",J({type:"slidetransitionend",data:{indexh:r,indexv:o,previousSlide:l,currentSlide:d}}))}function rn(c){let u=W(c.target,'a[href^="#"]');if(u){let f=u.getAttribute("href"),b=M.getIndicesFromHash(f);b&&(n.slide(b.h,b.v,b.f),c.preventDefault())}}function ln(c){we()}function on(c){document.hidden===!1&&document.activeElement!==document.body&&(typeof document.activeElement.blur=="function"&&document.activeElement.blur(),document.body.focus())}function Ve(c){(document.fullscreenElement||document.webkitFullscreenElement)===h.wrapper&&(c.stopImmediatePropagation(),setTimeout(()=>{n.layout(),n.focus.focus()},1))}function di(c){st()&&i.loop===!1?(se(0,0),qe()):j?qe():$e()}let dn={VERSION:wn,initialize:qn,configure:Mt,destroy:Xn,sync:Wt,syncSlide:ti,syncFragments:R.sync.bind(R),slide:se,left:Oe,right:Fe,up:dt,down:ct,prev:nn,next:ht,navigateLeft:Oe,navigateRight:Fe,navigateUp:dt,navigateDown:ct,navigatePrev:nn,navigateNext:ht,navigateFragment:R.goto.bind(R),prevFragment:R.prev.bind(R),nextFragment:R.next.bind(R),on:Bt,off:zt,addEventListener:Bt,removeEventListener:zt,layout:we,shuffle:rt,availableRoutes:le,availableFragments:R.availableRoutes.bind(R),toggleHelp:$.toggleHelp.bind($),toggleOverview:v.toggle.bind(v),toggleScrollView:A.toggle.bind(A),togglePause:Ut,toggleAutoSlide:Yn,toggleJumpToSlide:Qn,isFirstSlide:Vt,isLastSlide:st,isLastVerticalSlide:Ft,isVerticalSlide:Ae,isVerticalStack:Jn,isPaused:Le,isAutoSliding:Gn,isSpeakerNotes:G.isSpeakerNotesWindow.bind(G),isOverview:v.isActive.bind(v),isFocused:me.isFocused.bind(me),isOverlayOpen:$.isOpen.bind($),isScrollView:A.isActive.bind(A),isPrintView:U.isActive.bind(U),isReady:()=>a,loadSlide:E.load.bind(E),unloadSlide:E.unload.bind(E),startEmbeddedContent:()=>E.startEmbeddedContent(d),stopEmbeddedContent:()=>E.stopEmbeddedContent(d,{unloadIframes:!1}),previewIframe:$.previewIframe.bind($),previewImage:$.previewImage.bind($),previewVideo:$.previewVideo.bind($),showPreview:$.previewIframe.bind($),hidePreview:$.close.bind($),addEventListeners:Nt,removeEventListeners:Be,dispatchEvent:J,getState:tn,setState:li,getProgress:ii,getIndices:Zt,getSlidesAttributes:ai,getSlidePastCount:Xt,getTotalSlides:Gt,getSlide:en,getPreviousSlide:()=>l,getCurrentSlide:()=>d,getSlideBackground:ri,getSlideNotes:G.getSlideNotes.bind(G),getSlides:ot,getHorizontalSlides:he,getVerticalSlides:Jt,hasHorizontalSlides:Qt,hasVerticalSlides:Yt,hasNavigatedHorizontally:()=>p.hasNavigatedHorizontally,hasNavigatedVertically:()=>p.hasNavigatedVertically,shouldAutoAnimateBetween:at,addKeyBinding:x.addKeyBinding.bind(x),removeKeyBinding:x.removeKeyBinding.bind(x),triggerKey:x.triggerKey.bind(x),registerKeyboardShortcut:x.registerKeyboardShortcut.bind(x),getComputedSlideSize:ze,setCurrentScrollPage:ei,removeHiddenSlides:Ct,getScale:()=>m,getConfig:()=>i,getQueryHash:cn,getSlidePath:M.getHash.bind(M),getRevealElement:()=>e,getSlidesElement:()=>h.slides,getViewportElement:()=>h.viewport,getBackgroundsElement:()=>O.element,registerPlugin:F.registerPlugin.bind(F),hasPlugin:F.hasPlugin.bind(F),getPlugin:F.getPlugin.bind(F),getPlugins:F.getRegisteredPlugins.bind(F)};return Ee(n,ee(ee({},dn),{},{announceStatus:nt,getStatusText:Ne,focus:me,scroll:A,progress:Q,controls:ie,location:M,overview:v,keyboard:x,fragments:R,backgrounds:O,slideContent:E,slideNumber:B,onUserInput:oi,closeOverlay:$.close.bind($),updateSlidesVisibility:lt,layoutSlideContents:$t,transformSlides:it,cueAutoSlide:ke,cancelAutoSlide:De})),dn}var de=kn,fn=[];de.initialize=e=>{let t=document.querySelector(".reveal");if(!(t instanceof HTMLElement))throw Error('Unable to find presentation root (<div class="reveal">).');return Object.assign(de,new kn(t,e)),fn.map(n=>n(de)),de.initialize()},["configure","on","off","addEventListener","removeEventListener","registerPlugin"].forEach(e=>{de[e]=(...t)=>{fn.push(n=>n[e].call(null,...t))}}),de.isReady=()=>!1,de.VERSION=wn;function kt(){return{async:!1,breaks:!1,extensions:null,gfm:!0,hooks:null,pedantic:!1,renderer:null,silent:!1,tokenizer:null,walkTokens:null}}var ye=kt();function Sn(e){ye=e}var be={exec:()=>null};function T(e,t=""){let n=typeof e=="string"?e:e.source,i={replace:(s,a)=>{let r=typeof a=="string"?a:a.source;return r=r.replace(X.caret,"$1"),n=n.replace(s,r),i},getRegex:()=>new RegExp(n,t)};return i}var ts=(()=>{try{return!0}catch{return!1}})(),X={codeRemoveIndent:/^(?: {1,4}| {0,3}\t)/gm,outputLinkReplace:/\\([\[\]])/g,indentCodeCompensation:/^(\s+)(?:```)/,beginningSpace:/^\s+/,endingHash:/#$/,startingSpaceChar:/^ /,endingSpaceChar:/ $/,nonSpaceChar:/[^ ]/,newLineCharGlobal:/\n/g,tabCharGlobal:/\t/g,multipleSpaceGlobal:/\s+/g,blankLine:/^[ \t]*$/,doubleBlankLine:/\n[ \t]*\n[ \t]*$/,blockquoteStart:/^ {0,3}>/,blockquoteSetextReplace:/\n {0,3}((?:=+|-+) *)(?=\n|$)/g,blockquoteSetextReplace2:/^ {0,3}>[ \t]?/gm,listReplaceNesting:/^ {1,4}(?=( {4})*[^ ])/g,listIsTask:/^\[[ xX]\] +\S/,listReplaceTask:/^\[[ xX]\] +/,listTaskCheckbox:/\[[ xX]\]/,anyLine:/\n.*\n/,hrefBrackets:/^<(.*)>$/,tableDelimiter:/[:|]/,tableAlignChars:/^\||\| *$/g,tableRowBlankLine:/\n[ \t]*$/,tableAlignRight:/^ *-+: *$/,tableAlignCenter:/^ *:-+: *$/,tableAlignLeft:/^ *:-+ *$/,startATag:/^<a /i,endATag:/^<\/a>/i,startPreScriptTag:/^<(pre|code|kbd|script)(\s|>)/i,endPreScriptTag:/^<\/(pre|code|kbd|script)(\s|>)/i,startAngleBracket:/^</,endAngleBracket:/>$/,pedanticHrefTitle:/^([^'"]*[^\s])\s+(['"])(.*)\2/,unicodeAlphaNumeric:/[\p{L}\p{N}]/u,escapeTest:/[&<>"']/,escapeReplace:/[&<>"']/g,escapeTestNoEncode:/[<>"']|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/,escapeReplaceNoEncode:/[<>"']|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/g,caret:/(^|[^\[])\^/g,percentDecode:/%25/g,findPipe:/\|/g,splitPipe:/ \|/,slashPipe:/\\\|/g,carriageReturn:/\r\n|\r/g,spaceLine:/^ +$/gm,notSpaceStart:/^\S*/,endingNewline:/\n$/,listItemRegex:e=>RegExp(`^( {0,3}${e})((?:[	 ][^\\n]*)?(?:\\n|$))`),nextBulletRegex:e=>RegExp(`^ {0,${Math.min(3,e-1)}}(?:[*+-]|\\d{1,9}[.)])((?:[ 	][^\\n]*)?(?:\\n|$))`),hrRegex:e=>RegExp(`^ {0,${Math.min(3,e-1)}}((?:- *){3,}|(?:_ *){3,}|(?:\\* *){3,})(?:\\n+|$)`),fencesBeginRegex:e=>RegExp(`^ {0,${Math.min(3,e-1)}}(?:\`\`\`|~~~)`),headingBeginRegex:e=>RegExp(`^ {0,${Math.min(3,e-1)}}#`),htmlBeginRegex:e=>RegExp(`^ {0,${Math.min(3,e-1)}}<(?:[a-z].*>|!--)`,"i"),blockquoteBeginRegex:e=>RegExp(`^ {0,${Math.min(3,e-1)}}>`)},ns=/^(?:[ \t]*(?:\n|$))+/,is=/^((?: {4}| {0,3}\t)[^\n]+(?:\n(?:[ \t]*(?:\n|$))*)?)+/,ss=/^ {0,3}(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})([^\n]*)(?:\n|$)(?:|([\s\S]*?)(?:\n|$))(?: {0,3}\1[~`]* *(?=\n|$)|$)/,Me=/^ {0,3}((?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/,as=/^ {0,3}(#{1,6})(?=\s|$)(.*)(?:\n+|$)/,St=/ {0,3}(?:[*+-]|\d{1,9}[.)])/,Cn=/^(?!bull |blockCode|fences|blockquote|heading|html|table)((?:.|\n(?!\s*?\n|bull |blockCode|fences|blockquote|heading|html|table))+?)\n {0,3}(=+|-+) *(?:\n+|$)/,In=T(Cn).replace(/bull/g,St).replace(/blockCode/g,/(?: {4}| {0,3}\t)/).replace(/fences/g,/ {0,3}(?:`{3,}|~{3,})/).replace(/blockquote/g,/ {0,3}>/).replace(/heading/g,/ {0,3}#{1,6}/).replace(/html/g,/ {0,3}<[^\n>]+>\n/).replace(/\|table/g,"").getRegex(),rs=T(Cn).replace(/bull/g,St).replace(/blockCode/g,/(?: {4}| {0,3}\t)/).replace(/fences/g,/ {0,3}(?:`{3,}|~{3,})/).replace(/blockquote/g,/ {0,3}>/).replace(/heading/g,/ {0,3}#{1,6}/).replace(/html/g,/ {0,3}<[^\n>]+>\n/).replace(/table/g,/ {0,3}\|?(?:[:\- ]*\|)+[\:\- ]*\n/).getRegex(),Et=/^([^\n]+(?:\n(?!hr|heading|lheading|blockquote|fences|list|html|table| +\n)[^\n]+)*)/,ls=/^[^\n]+/,xt=/(?!\s*\])(?:\\[\s\S]|[^\[\]\\])+/,os=T(/^ {0,3}\[(label)\]: *(?:\n[ \t]*)?([^<\s][^\s]*|<.*?>)(?:(?: +(?:\n[ \t]*)?| *\n[ \t]*)(title))? *(?:\n+|$)/).replace("label",xt).replace("title",/(?:"(?:\\"?|[^"\\])*"|'[^'\n]*(?:\n[^'\n]+)*\n?'|\([^()]*\))/).getRegex(),ds=T(/^(bull)([ \t][^\n]+?)?(?:\n|$)/).replace(/bull/g,St).getRegex(),Ge="address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|meta|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul",At=/<!--(?:-?>|[\s\S]*?(?:-->|$))/,cs=T("^ {0,3}(?:<(script|pre|style|textarea)[\\s>][\\s\\S]*?(?:</\\1>[^\\n]*\\n+|$)|comment[^\\n]*(\\n+|$)|<\\?[\\s\\S]*?(?:\\?>\\n*|$)|<![A-Z][\\s\\S]*?(?:>\\n*|$)|<!\\[CDATA\\[[\\s\\S]*?(?:\\]\\]>\\n*|$)|</?(tag)(?: +|\\n|/?>)[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$)|<(?!script|pre|style|textarea)([a-z][\\w-]*)(?:attribute)*? */?>(?=[ \\t]*(?:\\n|$))[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$)|</(?!script|pre|style|textarea)[a-z][\\w-]*\\s*>(?=[ \\t]*(?:\\n|$))[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$))","i").replace("comment",At).replace("tag",Ge).replace("attribute",/ +[a-zA-Z:_][\w.:-]*(?: *= *"[^"\n]*"| *= *'[^'\n]*'| *= *[^\s"'=<>`]+)?/).getRegex(),En=T(Et).replace("hr",Me).replace("heading"," {0,3}#{1,6}(?:\\s|$)").replace("|lheading","").replace("|table","").replace("blockquote"," {0,3}>").replace("fences"," {0,3}(?:`{3,}(?=[^`\\n]*\\n)|~{3,})[^\\n]*\\n").replace("list"," {0,3}(?:[*+-]|1[.)])[ \\t]").replace("html","</?(?:tag)(?: +|\\n|/?>)|<(?:script|pre|style|textarea|!--)").replace("tag",Ge).getRegex(),Rt={blockquote:T(/^( {0,3}> ?(paragraph|[^\n]*)(?:\n|$))+/).replace("paragraph",En).getRegex(),code:is,def:os,fences:ss,heading:as,hr:Me,html:cs,lheading:In,list:ds,newline:ns,paragraph:En,table:be,text:ls},xn=T("^ *([^\\n ].*)\\n {0,3}((?:\\| *)?:?-+:? *(?:\\| *:?-+:? *)*(?:\\| *)?)(?:\\n((?:(?! *\\n|hr|heading|blockquote|code|fences|list|html).*(?:\\n|$))*)\\n*|$)").replace("hr",Me).replace("heading"," {0,3}#{1,6}(?:\\s|$)").replace("blockquote"," {0,3}>").replace("code","(?: {4}| {0,3}	)[^\\n]").replace("fences"," {0,3}(?:`{3,}(?=[^`\\n]*\\n)|~{3,})[^\\n]*\\n").replace("list"," {0,3}(?:[*+-]|1[.)])[ \\t]").replace("html","</?(?:tag)(?: +|\\n|/?>)|<(?:script|pre|style|textarea|!--)").replace("tag",Ge).getRegex(),hs={...Rt,lheading:rs,table:xn,paragraph:T(Et).replace("hr",Me).replace("heading"," {0,3}#{1,6}(?:\\s|$)").replace("|lheading","").replace("table",xn).replace("blockquote"," {0,3}>").replace("fences"," {0,3}(?:`{3,}(?=[^`\\n]*\\n)|~{3,})[^\\n]*\\n").replace("list"," {0,3}(?:[*+-]|1[.)])[ \\t]").replace("html","</?(?:tag)(?: +|\\n|/?>)|<(?:script|pre|style|textarea|!--)").replace("tag",Ge).getRegex()},us={...Rt,html:T(`^ *(?:comment *(?:\\n|\\s*$)|<(tag)[\\s\\S]+?</\\1> *(?:\\n{2,}|\\s*$)|<tag(?:"[^"]*"|'[^']*'|\\s[^'"/>\\s]*)*?/?> *(?:\\n{2,}|\\s*$))`).replace("comment",At).replace(/tag/g,"(?!(?:a|em|strong|small|s|cite|q|dfn|abbr|data|time|code|var|samp|kbd|sub|sup|i|b|u|mark|ruby|rt|rp|bdi|bdo|span|br|wbr|ins|del|img)\\b)\\w+(?!:|[^\\w\\s@]*@)\\b").getRegex(),def:/^ *\[([^\]]+)\]: *<?([^\s>]+)>?(?: +(["(][^\n]+[")]))? *(?:\n+|$)/,heading:/^(#{1,6})(.*)(?:\n+|$)/,fences:be,lheading:/^(.+?)\n {0,3}(=+|-+) *(?:\n+|$)/,paragraph:T(Et).replace("hr",Me).replace("heading",` *#{1,6} *[^
]`).replace("lheading",In).replace("|table","").replace("blockquote"," {0,3}>").replace("|fences","").replace("|list","").replace("|html","").replace("|tag","").getRegex()},ps=/^\\([!"#$%&'()*+,\-./:;<=>?@\[\]\\^_`{|}~])/,gs=/^(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/,Mn=/^( {2,}|\\)\n(?!\s*$)/,ms=/^(`+|[^`])(?:(?= {2,}\n)|[\s\S]*?(?:(?=[\\<!\[`*_]|\b_|$)|[^ ](?= {2,}\n)))/,xe=/[\p{P}\p{S}]/u,et=/[\s\p{P}\p{S}]/u,Lt=/[^\s\p{P}\p{S}]/u,vs=T(/^((?![*_])punctSpace)/,"u").replace(/punctSpace/g,et).getRegex(),Nn=/(?!~)[\p{P}\p{S}]/u,fs=/(?!~)[\s\p{P}\p{S}]/u,bs=/(?:[^\s\p{P}\p{S}]|~)/u,ys=T(/link|precode-code|html/,"g").replace("link",/\[(?:[^\[\]`]|(?<a>`+)[^`]+\k<a>(?!`))*?\]\((?:\\[\s\S]|[^\\\(\)]|\((?:\\[\s\S]|[^\\\(\)])*\))*\)/).replace("precode-",ts?"(?<!`)()":"(^^|[^`])").replace("code",/(?<b>`+)[^`]+\k<b>(?!`)/).replace("html",/<(?! )[^<>]*?>/).getRegex(),Bn=/^(?:\*+(?:((?!\*)punct)|([^\s*]))?)|^_+(?:((?!_)punct)|([^\s_]))?/,ws=T(Bn,"u").replace(/punct/g,xe).getRegex(),ks=T(Bn,"u").replace(/punct/g,Nn).getRegex(),zn="^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)|[^*]+(?=[^*])|(?!\\*)punct(\\*+)(?=[\\s]|$)|notPunctSpace(\\*+)(?!\\*)(?=punctSpace|$)|(?!\\*)punctSpace(\\*+)(?=notPunctSpace)|[\\s](\\*+)(?!\\*)(?=punct)|(?!\\*)punct(\\*+)(?!\\*)(?=punct)|notPunctSpace(\\*+)(?=notPunctSpace)",Ss=T(zn,"gu").replace(/notPunctSpace/g,Lt).replace(/punctSpace/g,et).replace(/punct/g,xe).getRegex(),Es=T(zn,"gu").replace(/notPunctSpace/g,bs).replace(/punctSpace/g,fs).replace(/punct/g,Nn).getRegex(),xs=T("^[^_*]*?\\*\\*[^_*]*?_[^_*]*?(?=\\*\\*)|[^_]+(?=[^_])|(?!_)punct(_+)(?=[\\s]|$)|notPunctSpace(_+)(?!_)(?=punctSpace|$)|(?!_)punctSpace(_+)(?=notPunctSpace)|[\\s](_+)(?!_)(?=punct)|(?!_)punct(_+)(?!_)(?=punct)","gu").replace(/notPunctSpace/g,Lt).replace(/punctSpace/g,et).replace(/punct/g,xe).getRegex(),As=T(/^~~?(?:((?!~)punct)|[^\s~])/,"u").replace(/punct/g,xe).getRegex(),Rs=T("^[^~]+(?=[^~])|(?!~)punct(~~?)(?=[\\s]|$)|notPunctSpace(~~?)(?!~)(?=punctSpace|$)|(?!~)punctSpace(~~?)(?=notPunctSpace)|[\\s](~~?)(?!~)(?=punct)|(?!~)punct(~~?)(?!~)(?=punct)|notPunctSpace(~~?)(?=notPunctSpace)","gu").replace(/notPunctSpace/g,Lt).replace(/punctSpace/g,et).replace(/punct/g,xe).getRegex(),Ls=T(/\\(punct)/,"gu").replace(/punct/g,xe).getRegex(),Ts=T(/^<(scheme:[^\s\x00-\x1f<>]*|email)>/).replace("scheme",/[a-zA-Z][a-zA-Z0-9+.-]{1,31}/).replace("email",/[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+(@)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+(?![-_])/).getRegex(),Ps=T(At).replace("(?:-->|$)","-->").getRegex(),Cs=T("^comment|^</[a-zA-Z][\\w:-]*\\s*>|^<[a-zA-Z][\\w-]*(?:attribute)*?\\s*/?>|^<\\?[\\s\\S]*?\\?>|^<![a-zA-Z]+\\s[\\s\\S]*?>|^<!\\[CDATA\\[[\\s\\S]*?\\]\\]>").replace("comment",Ps).replace("attribute",/\s+[a-zA-Z:_][\w.:-]*(?:\s*=\s*"[^"]*"|\s*=\s*'[^']*'|\s*=\s*[^\s"'=<>`]+)?/).getRegex(),Je=/(?:\[(?:\\[\s\S]|[^\[\]\\])*\]|\\[\s\S]|`+(?!`)[^`]*?`+(?!`)|``+(?=\])|[^\[\]\\`])*?/,Is=T(/^!?\[(label)\]\(\s*(href)(?:(?:[ \t]+(?:\n[ \t]*)?|\n[ \t]*)(title))?\s*\)/).replace("label",Je).replace("href",/<(?:\\.|[^\n<>\\])+>|[^ \t\n\x00-\x1f]*/).replace("title",/"(?:\\"?|[^"\\])*"|'(?:\\'?|[^'\\])*'|\((?:\\\)?|[^)\\])*\)/).getRegex(),Hn=T(/^!?\[(label)\]\[(ref)\]/).replace("label",Je).replace("ref",xt).getRegex(),Dn=T(/^!?\[(ref)\](?:\[\])?/).replace("ref",xt).getRegex(),Ms=T("reflink|nolink(?!\\()","g").replace("reflink",Hn).replace("nolink",Dn).getRegex(),An=/[hH][tT][tT][pP][sS]?|[fF][tT][pP]/,Tt={_backpedal:be,anyPunctuation:Ls,autolink:Ts,blockSkip:ys,br:Mn,code:gs,del:be,delLDelim:be,delRDelim:be,emStrongLDelim:ws,emStrongRDelimAst:Ss,emStrongRDelimUnd:xs,escape:ps,link:Is,nolink:Dn,punctuation:vs,reflink:Hn,reflinkSearch:Ms,tag:Cs,text:ms,url:be},Ns={...Tt,link:T(/^!?\[(label)\]\((.*?)\)/).replace("label",Je).getRegex(),reflink:T(/^!?\[(label)\]\s*\[([^\]]*)\]/).replace("label",Je).getRegex()},bt={...Tt,emStrongRDelimAst:Es,emStrongLDelim:ks,delLDelim:As,delRDelim:Rs,url:T(/^((?:protocol):\/\/|www\.)(?:[a-zA-Z0-9\-]+\.?)+[^\s<]*|^email/).replace("protocol",An).replace("email",/[A-Za-z0-9._+-]+(@)[a-zA-Z0-9-_]+(?:\.[a-zA-Z0-9-_]*[a-zA-Z0-9])+(?![-_])/).getRegex(),_backpedal:/(?:[^?!.,:;*_'"~()&]+|\([^)]*\)|&(?![a-zA-Z0-9]+;$)|[?!.,:;*_'"~)]+(?!$))+/,del:/^(~~?)(?=[^\s~])((?:\\[\s\S]|[^\\])*?(?:\\[\s\S]|[^\s~\\]))\1(?=[^~]|$)/,text:T(/^([`~]+|[^`~])(?:(?= {2,}\n)|(?=[a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-]+@)|[\s\S]*?(?:(?=[\\<!\[`*~_]|\b_|protocol:\/\/|www\.|$)|[^ ](?= {2,}\n)|[^a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-](?=[a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-]+@)))/).replace("protocol",An).getRegex()},Bs={...bt,br:T(Mn).replace("{2,}","*").getRegex(),text:T(bt.text).replace("\\b_","\\b_| {2,}\\n").replace(/\{2,\}/g,"*").getRegex()},Xe={normal:Rt,gfm:hs,pedantic:us},Pe={normal:Tt,gfm:bt,breaks:Bs,pedantic:Ns},zs={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;","'":"&#39;"},Rn=e=>zs[e];function ae(e,t){if(t){if(X.escapeTest.test(e))return e.replace(X.escapeReplace,Rn)}else if(X.escapeTestNoEncode.test(e))return e.replace(X.escapeReplaceNoEncode,Rn);return e}function Ln(e){try{e=encodeURI(e).replace(X.percentDecode,"%")}catch{return null}return e}function Tn(e,t){let n=e.replace(X.findPipe,(s,a,r)=>{let o=!1,l=a;for(;--l>=0&&r[l]==="\\";)o=!o;return o?"|":" |"}).split(X.splitPipe),i=0;if(n[0].trim()||n.shift(),n.length>0&&!n.at(-1)?.trim()&&n.pop(),t)if(n.length>t)n.splice(t);else for(;n.length<t;)n.push("");for(;i<n.length;i++)n[i]=n[i].trim().replace(X.slashPipe,"|");return n}function Ce(e,t,n){let i=e.length;if(i===0)return"";let s=0;for(;s<i;){let a=e.charAt(i-s-1);if(a===t&&!n)s++;else if(a!==t&&n)s++;else break}return e.slice(0,i-s)}function Hs(e,t){if(e.indexOf(t[1])===-1)return-1;let n=0;for(let i=0;i<e.length;i++)if(e[i]==="\\")i++;else if(e[i]===t[0])n++;else if(e[i]===t[1]&&(n--,n<0))return i;return n>0?-2:-1}function Ds(e,t=0){let n=t,i="";for(let s of e)if(s==="	"){let a=4-n%4;i+=" ".repeat(a),n+=a}else i+=s,n++;return i}function Pn(e,t,n,i,s){let a=t.href,r=t.title||null,o=e[1].replace(s.other.outputLinkReplace,"$1");i.state.inLink=!0;let l={type:e[0].charAt(0)==="!"?"image":"link",raw:n,href:a,title:r,text:o,tokens:i.inlineTokens(o)};return i.state.inLink=!1,l}function $s(e,t,n){let i=e.match(n.other.indentCodeCompensation);if(i===null)return t;let s=i[1];return t.split(`
`).map(a=>{let r=a.match(n.other.beginningSpace);if(r===null)return a;let[o]=r;return o.length>=s.length?a.slice(s.length):a}).join(`
`)}var Qe=class{constructor(e){N(this,"options");N(this,"rules");N(this,"lexer");this.options=e||ye}space(e){let t=this.rules.block.newline.exec(e);if(t&&t[0].length>0)return{type:"space",raw:t[0]}}code(e){let t=this.rules.block.code.exec(e);if(t){let n=t[0].replace(this.rules.other.codeRemoveIndent,"");return{type:"code",raw:t[0],codeBlockStyle:"indented",text:this.options.pedantic?n:Ce(n,`
`)}}}fences(e){let t=this.rules.block.fences.exec(e);if(t){let n=t[0],i=$s(n,t[3]||"",this.rules);return{type:"code",raw:n,lang:t[2]?t[2].trim().replace(this.rules.inline.anyPunctuation,"$1"):t[2],text:i}}}heading(e){let t=this.rules.block.heading.exec(e);if(t){let n=t[2].trim();if(this.rules.other.endingHash.test(n)){let i=Ce(n,"#");(this.options.pedantic||!i||this.rules.other.endingSpaceChar.test(i))&&(n=i.trim())}return{type:"heading",raw:t[0],depth:t[1].length,text:n,tokens:this.lexer.inline(n)}}}hr(e){let t=this.rules.block.hr.exec(e);if(t)return{type:"hr",raw:Ce(t[0],`
`)}}blockquote(e){let t=this.rules.block.blockquote.exec(e);if(t){let n=Ce(t[0],`
`).split(`
`),i="",s="",a=[];for(;n.length>0;){let r=!1,o=[],l;for(l=0;l<n.length;l++)if(this.rules.other.blockquoteStart.test(n[l]))o.push(n[l]),r=!0;else if(!r)o.push(n[l]);else break;n=n.slice(l);let d=o.join(`
`),p=d.replace(this.rules.other.blockquoteSetextReplace,`
    $1`).replace(this.rules.other.blockquoteSetextReplace2,"");i=i?`${i}
${d}`:d,s=s?`${s}
${p}`:p;let g=this.lexer.state.top;if(this.lexer.state.top=!0,this.lexer.blockTokens(p,a,!0),this.lexer.state.top=g,n.length===0)break;let m=a.at(-1);if(m?.type==="code")break;if(m?.type==="blockquote"){let w=m,h=w.raw+`
`+n.join(`
`),S=this.blockquote(h);a[a.length-1]=S,i=i.substring(0,i.length-w.raw.length)+S.raw,s=s.substring(0,s.length-w.text.length)+S.text;break}if(m?.type==="list"){let w=m,h=w.raw+`
`+n.join(`
`),S=this.list(h);a[a.length-1]=S,i=i.substring(0,i.length-m.raw.length)+S.raw,s=s.substring(0,s.length-w.raw.length)+S.raw,n=h.substring(a.at(-1).raw.length).split(`
`);continue}}return{type:"blockquote",raw:i,tokens:a,text:s}}}list(e){let t=this.rules.block.list.exec(e);if(t){let n=t[1].trim(),i=n.length>1,s={type:"list",raw:"",ordered:i,start:i?+n.slice(0,-1):"",loose:!1,items:[]};n=i?`\\d{1,9}\\${n.slice(-1)}`:`\\${n}`,this.options.pedantic&&(n=i?n:"[*+-]");let a=this.rules.other.listItemRegex(n),r=!1;for(;e;){let l=!1,d="",p="";if(!(t=a.exec(e))||this.rules.block.hr.test(e))break;d=t[0],e=e.substring(d.length);let g=Ds(t[2].split(`
`,1)[0],t[1].length),m=e.split(`
`,1)[0],w=!g.trim(),h=0;if(this.options.pedantic?(h=2,p=g.trimStart()):w?h=t[1].length+1:(h=g.search(this.rules.other.nonSpaceChar),h=h>4?1:h,p=g.slice(h),h+=t[1].length),w&&this.rules.other.blankLine.test(m)&&(d+=m+`
`,e=e.substring(m.length+1),l=!0),!l){let S=this.rules.other.nextBulletRegex(h),P=this.rules.other.hrRegex(h),D=this.rules.other.fencesBeginRegex(h),Z=this.rules.other.headingBeginRegex(h),re=this.rules.other.htmlBeginRegex(h),j=this.rules.other.blockquoteBeginRegex(h);for(;e;){let E=e.split(`
`,1)[0],B;if(m=E,this.options.pedantic?(m=m.replace(this.rules.other.listReplaceNesting,"  "),B=m):B=m.replace(this.rules.other.tabCharGlobal,"    "),D.test(m)||Z.test(m)||re.test(m)||j.test(m)||S.test(m)||P.test(m))break;if(B.search(this.rules.other.nonSpaceChar)>=h||!m.trim())p+=`
`+B.slice(h);else{if(w||g.replace(this.rules.other.tabCharGlobal,"    ").search(this.rules.other.nonSpaceChar)>=4||D.test(g)||Z.test(g)||P.test(g))break;p+=`
`+m}w=!m.trim(),d+=E+`
`,e=e.substring(E.length+1),g=B.slice(h)}}s.loose||(r?s.loose=!0:this.rules.other.doubleBlankLine.test(d)&&(r=!0)),s.items.push({type:"list_item",raw:d,task:!!this.options.gfm&&this.rules.other.listIsTask.test(p),loose:!1,text:p,tokens:[]}),s.raw+=d}let o=s.items.at(-1);if(o)o.raw=o.raw.trimEnd(),o.text=o.text.trimEnd();else return;s.raw=s.raw.trimEnd();for(let l of s.items){if(this.lexer.state.top=!1,l.tokens=this.lexer.blockTokens(l.text,[]),l.task){if(l.text=l.text.replace(this.rules.other.listReplaceTask,""),l.tokens[0]?.type==="text"||l.tokens[0]?.type==="paragraph"){l.tokens[0].raw=l.tokens[0].raw.replace(this.rules.other.listReplaceTask,""),l.tokens[0].text=l.tokens[0].text.replace(this.rules.other.listReplaceTask,"");for(let p=this.lexer.inlineQueue.length-1;p>=0;p--)if(this.rules.other.listIsTask.test(this.lexer.inlineQueue[p].src)){this.lexer.inlineQueue[p].src=this.lexer.inlineQueue[p].src.replace(this.rules.other.listReplaceTask,"");break}}let d=this.rules.other.listTaskCheckbox.exec(l.raw);if(d){let p={type:"checkbox",raw:d[0]+" ",checked:d[0]!=="[ ]"};l.checked=p.checked,s.loose?l.tokens[0]&&["paragraph","text"].includes(l.tokens[0].type)&&"tokens"in l.tokens[0]&&l.tokens[0].tokens?(l.tokens[0].raw=p.raw+l.tokens[0].raw,l.tokens[0].text=p.raw+l.tokens[0].text,l.tokens[0].tokens.unshift(p)):l.tokens.unshift({type:"paragraph",raw:p.raw,text:p.raw,tokens:[p]}):l.tokens.unshift(p)}}if(!s.loose){let d=l.tokens.filter(p=>p.type==="space");s.loose=d.length>0&&d.some(p=>this.rules.other.anyLine.test(p.raw))}}if(s.loose)for(let l of s.items){l.loose=!0;for(let d of l.tokens)d.type==="text"&&(d.type="paragraph")}return s}}html(e){let t=this.rules.block.html.exec(e);if(t)return{type:"html",block:!0,raw:t[0],pre:t[1]==="pre"||t[1]==="script"||t[1]==="style",text:t[0]}}def(e){let t=this.rules.block.def.exec(e);if(t){let n=t[1].toLowerCase().replace(this.rules.other.multipleSpaceGlobal," "),i=t[2]?t[2].replace(this.rules.other.hrefBrackets,"$1").replace(this.rules.inline.anyPunctuation,"$1"):"",s=t[3]?t[3].substring(1,t[3].length-1).replace(this.rules.inline.anyPunctuation,"$1"):t[3];return{type:"def",tag:n,raw:t[0],href:i,title:s}}}table(e){let t=this.rules.block.table.exec(e);if(!t||!this.rules.other.tableDelimiter.test(t[2]))return;let n=Tn(t[1]),i=t[2].replace(this.rules.other.tableAlignChars,"").split("|"),s=t[3]?.trim()?t[3].replace(this.rules.other.tableRowBlankLine,"").split(`
`):[],a={type:"table",raw:t[0],header:[],align:[],rows:[]};if(n.length===i.length){for(let r of i)this.rules.other.tableAlignRight.test(r)?a.align.push("right"):this.rules.other.tableAlignCenter.test(r)?a.align.push("center"):this.rules.other.tableAlignLeft.test(r)?a.align.push("left"):a.align.push(null);for(let r=0;r<n.length;r++)a.header.push({text:n[r],tokens:this.lexer.inline(n[r]),header:!0,align:a.align[r]});for(let r of s)a.rows.push(Tn(r,a.header.length).map((o,l)=>({text:o,tokens:this.lexer.inline(o),header:!1,align:a.align[l]})));return a}}lheading(e){let t=this.rules.block.lheading.exec(e);if(t){let n=t[1].trim();return{type:"heading",raw:t[0],depth:t[2].charAt(0)==="="?1:2,text:n,tokens:this.lexer.inline(n)}}}paragraph(e){let t=this.rules.block.paragraph.exec(e);if(t){let n=t[1].charAt(t[1].length-1)===`
`?t[1].slice(0,-1):t[1];return{type:"paragraph",raw:t[0],text:n,tokens:this.lexer.inline(n)}}}text(e){let t=this.rules.block.text.exec(e);if(t)return{type:"text",raw:t[0],text:t[0],tokens:this.lexer.inline(t[0])}}escape(e){let t=this.rules.inline.escape.exec(e);if(t)return{type:"escape",raw:t[0],text:t[1]}}tag(e){let t=this.rules.inline.tag.exec(e);if(t)return!this.lexer.state.inLink&&this.rules.other.startATag.test(t[0])?this.lexer.state.inLink=!0:this.lexer.state.inLink&&this.rules.other.endATag.test(t[0])&&(this.lexer.state.inLink=!1),!this.lexer.state.inRawBlock&&this.rules.other.startPreScriptTag.test(t[0])?this.lexer.state.inRawBlock=!0:this.lexer.state.inRawBlock&&this.rules.other.endPreScriptTag.test(t[0])&&(this.lexer.state.inRawBlock=!1),{type:"html",raw:t[0],inLink:this.lexer.state.inLink,inRawBlock:this.lexer.state.inRawBlock,block:!1,text:t[0]}}link(e){let t=this.rules.inline.link.exec(e);if(t){let n=t[2].trim();if(!this.options.pedantic&&this.rules.other.startAngleBracket.test(n)){if(!this.rules.other.endAngleBracket.test(n))return;let a=Ce(n.slice(0,-1),"\\");if((n.length-a.length)%2==0)return}else{let a=Hs(t[2],"()");if(a===-2)return;if(a>-1){let r=(t[0].indexOf("!")===0?5:4)+t[1].length+a;t[2]=t[2].substring(0,a),t[0]=t[0].substring(0,r).trim(),t[3]=""}}let i=t[2],s="";if(this.options.pedantic){let a=this.rules.other.pedanticHrefTitle.exec(i);a&&(i=a[1],s=a[3])}else s=t[3]?t[3].slice(1,-1):"";return i=i.trim(),this.rules.other.startAngleBracket.test(i)&&(i=this.options.pedantic&&!this.rules.other.endAngleBracket.test(n)?i.slice(1):i.slice(1,-1)),Pn(t,{href:i&&i.replace(this.rules.inline.anyPunctuation,"$1"),title:s&&s.replace(this.rules.inline.anyPunctuation,"$1")},t[0],this.lexer,this.rules)}}reflink(e,t){let n;if((n=this.rules.inline.reflink.exec(e))||(n=this.rules.inline.nolink.exec(e))){let i=t[(n[2]||n[1]).replace(this.rules.other.multipleSpaceGlobal," ").toLowerCase()];if(!i){let s=n[0].charAt(0);return{type:"text",raw:s,text:s}}return Pn(n,i,n[0],this.lexer,this.rules)}}emStrong(e,t,n=""){let i=this.rules.inline.emStrongLDelim.exec(e);if(!(!i||!i[1]&&!i[2]&&!i[3]&&!i[4]||i[4]&&n.match(this.rules.other.unicodeAlphaNumeric))&&(!(i[1]||i[3])||!n||this.rules.inline.punctuation.exec(n))){let s=[...i[0]].length-1,a,r,o=s,l=0,d=i[0][0]==="*"?this.rules.inline.emStrongRDelimAst:this.rules.inline.emStrongRDelimUnd;for(d.lastIndex=0,t=t.slice(-1*e.length+s);(i=d.exec(t))!=null;){if(a=i[1]||i[2]||i[3]||i[4]||i[5]||i[6],!a)continue;if(r=[...a].length,i[3]||i[4]){o+=r;continue}if((i[5]||i[6])&&s%3&&!((s+r)%3)){l+=r;continue}if(o-=r,o>0)continue;r=Math.min(r,r+o+l);let p=[...i[0]][0].length,g=e.slice(0,s+i.index+p+r);if(Math.min(s,r)%2){let w=g.slice(1,-1);return{type:"em",raw:g,text:w,tokens:this.lexer.inlineTokens(w)}}let m=g.slice(2,-2);return{type:"strong",raw:g,text:m,tokens:this.lexer.inlineTokens(m)}}}}codespan(e){let t=this.rules.inline.code.exec(e);if(t){let n=t[2].replace(this.rules.other.newLineCharGlobal," "),i=this.rules.other.nonSpaceChar.test(n),s=this.rules.other.startingSpaceChar.test(n)&&this.rules.other.endingSpaceChar.test(n);return i&&s&&(n=n.substring(1,n.length-1)),{type:"codespan",raw:t[0],text:n}}}br(e){let t=this.rules.inline.br.exec(e);if(t)return{type:"br",raw:t[0]}}del(e,t,n=""){let i=this.rules.inline.delLDelim.exec(e);if(i&&(!i[1]||!n||this.rules.inline.punctuation.exec(n))){let s=[...i[0]].length-1,a,r,o=s,l=this.rules.inline.delRDelim;for(l.lastIndex=0,t=t.slice(-1*e.length+s);(i=l.exec(t))!=null;){if(a=i[1]||i[2]||i[3]||i[4]||i[5]||i[6],!a||(r=[...a].length,r!==s))continue;if(i[3]||i[4]){o+=r;continue}if(o-=r,o>0)continue;r=Math.min(r,r+o);let d=[...i[0]][0].length,p=e.slice(0,s+i.index+d+r),g=p.slice(s,-s);return{type:"del",raw:p,text:g,tokens:this.lexer.inlineTokens(g)}}}}autolink(e){let t=this.rules.inline.autolink.exec(e);if(t){let n,i;return t[2]==="@"?(n=t[1],i="mailto:"+n):(n=t[1],i=n),{type:"link",raw:t[0],text:n,href:i,tokens:[{type:"text",raw:n,text:n}]}}}url(e){let t;if(t=this.rules.inline.url.exec(e)){let n,i;if(t[2]==="@")n=t[0],i="mailto:"+n;else{let s;do s=t[0],t[0]=this.rules.inline._backpedal.exec(t[0])?.[0]??"";while(s!==t[0]);n=t[0],i=t[1]==="www."?"http://"+t[0]:t[0]}return{type:"link",raw:t[0],text:n,href:i,tokens:[{type:"text",raw:n,text:n}]}}}inlineText(e){let t=this.rules.inline.text.exec(e);if(t){let n=this.lexer.state.inRawBlock;return{type:"text",raw:t[0],text:t[0],escaped:n}}}},te=class yt{constructor(t){N(this,"tokens");N(this,"options");N(this,"state");N(this,"inlineQueue");N(this,"tokenizer");this.tokens=[],this.tokens.links=Object.create(null),this.options=t||ye,this.options.tokenizer=this.options.tokenizer||new Qe,this.tokenizer=this.options.tokenizer,this.tokenizer.options=this.options,this.tokenizer.lexer=this,this.inlineQueue=[],this.state={inLink:!1,inRawBlock:!1,top:!0};let n={other:X,block:Xe.normal,inline:Pe.normal};this.options.pedantic?(n.block=Xe.pedantic,n.inline=Pe.pedantic):this.options.gfm&&(n.block=Xe.gfm,n.inline=this.options.breaks?Pe.breaks:Pe.gfm),this.tokenizer.rules=n}static get rules(){return{block:Xe,inline:Pe}}static lex(t,n){return new yt(n).lex(t)}static lexInline(t,n){return new yt(n).inlineTokens(t)}lex(t){t=t.replace(X.carriageReturn,`
`),this.blockTokens(t,this.tokens);for(let n=0;n<this.inlineQueue.length;n++){let i=this.inlineQueue[n];this.inlineTokens(i.src,i.tokens)}return this.inlineQueue=[],this.tokens}blockTokens(t,n=[],i=!1){for(this.tokenizer.lexer=this,this.options.pedantic&&(t=t.replace(X.tabCharGlobal,"    ").replace(X.spaceLine,""));t;){let s;if(this.options.extensions?.block?.some(r=>(s=r.call({lexer:this},t,n))?(t=t.substring(s.raw.length),n.push(s),!0):!1))continue;if(s=this.tokenizer.space(t)){t=t.substring(s.raw.length);let r=n.at(-1);s.raw.length===1&&r!==void 0?r.raw+=`
`:n.push(s);continue}if(s=this.tokenizer.code(t)){t=t.substring(s.raw.length);let r=n.at(-1);r?.type==="paragraph"||r?.type==="text"?(r.raw+=(r.raw.endsWith(`
`)?"":`
`)+s.raw,r.text+=`
`+s.text,this.inlineQueue.at(-1).src=r.text):n.push(s);continue}if(s=this.tokenizer.fences(t)){t=t.substring(s.raw.length),n.push(s);continue}if(s=this.tokenizer.heading(t)){t=t.substring(s.raw.length),n.push(s);continue}if(s=this.tokenizer.hr(t)){t=t.substring(s.raw.length),n.push(s);continue}if(s=this.tokenizer.blockquote(t)){t=t.substring(s.raw.length),n.push(s);continue}if(s=this.tokenizer.list(t)){t=t.substring(s.raw.length),n.push(s);continue}if(s=this.tokenizer.html(t)){t=t.substring(s.raw.length),n.push(s);continue}if(s=this.tokenizer.def(t)){t=t.substring(s.raw.length);let r=n.at(-1);r?.type==="paragraph"||r?.type==="text"?(r.raw+=(r.raw.endsWith(`
`)?"":`
`)+s.raw,r.text+=`
`+s.raw,this.inlineQueue.at(-1).src=r.text):this.tokens.links[s.tag]||(this.tokens.links[s.tag]={href:s.href,title:s.title},n.push(s));continue}if(s=this.tokenizer.table(t)){t=t.substring(s.raw.length),n.push(s);continue}if(s=this.tokenizer.lheading(t)){t=t.substring(s.raw.length),n.push(s);continue}let a=t;if(this.options.extensions?.startBlock){let r=1/0,o=t.slice(1),l;this.options.extensions.startBlock.forEach(d=>{l=d.call({lexer:this},o),typeof l=="number"&&l>=0&&(r=Math.min(r,l))}),r<1/0&&r>=0&&(a=t.substring(0,r+1))}if(this.state.top&&(s=this.tokenizer.paragraph(a))){let r=n.at(-1);i&&r?.type==="paragraph"?(r.raw+=(r.raw.endsWith(`
`)?"":`
`)+s.raw,r.text+=`
`+s.text,this.inlineQueue.pop(),this.inlineQueue.at(-1).src=r.text):n.push(s),i=a.length!==t.length,t=t.substring(s.raw.length);continue}if(s=this.tokenizer.text(t)){t=t.substring(s.raw.length);let r=n.at(-1);r?.type==="text"?(r.raw+=(r.raw.endsWith(`
`)?"":`
`)+s.raw,r.text+=`
`+s.text,this.inlineQueue.pop(),this.inlineQueue.at(-1).src=r.text):n.push(s);continue}if(t){let r="Infinite loop on byte: "+t.charCodeAt(0);if(this.options.silent){console.error(r);break}throw Error(r)}}return this.state.top=!0,n}inline(t,n=[]){return this.inlineQueue.push({src:t,tokens:n}),n}inlineTokens(t,n=[]){this.tokenizer.lexer=this;let i=t,s=null;if(this.tokens.links){let l=Object.keys(this.tokens.links);if(l.length>0)for(;(s=this.tokenizer.rules.inline.reflinkSearch.exec(i))!=null;)l.includes(s[0].slice(s[0].lastIndexOf("[")+1,-1))&&(i=i.slice(0,s.index)+"["+"a".repeat(s[0].length-2)+"]"+i.slice(this.tokenizer.rules.inline.reflinkSearch.lastIndex))}for(;(s=this.tokenizer.rules.inline.anyPunctuation.exec(i))!=null;)i=i.slice(0,s.index)+"++"+i.slice(this.tokenizer.rules.inline.anyPunctuation.lastIndex);let a;for(;(s=this.tokenizer.rules.inline.blockSkip.exec(i))!=null;)a=s[2]?s[2].length:0,i=i.slice(0,s.index+a)+"["+"a".repeat(s[0].length-a-2)+"]"+i.slice(this.tokenizer.rules.inline.blockSkip.lastIndex);i=this.options.hooks?.emStrongMask?.call({lexer:this},i)??i;let r=!1,o="";for(;t;){r||(o=""),r=!1;let l;if(this.options.extensions?.inline?.some(p=>(l=p.call({lexer:this},t,n))?(t=t.substring(l.raw.length),n.push(l),!0):!1))continue;if(l=this.tokenizer.escape(t)){t=t.substring(l.raw.length),n.push(l);continue}if(l=this.tokenizer.tag(t)){t=t.substring(l.raw.length),n.push(l);continue}if(l=this.tokenizer.link(t)){t=t.substring(l.raw.length),n.push(l);continue}if(l=this.tokenizer.reflink(t,this.tokens.links)){t=t.substring(l.raw.length);let p=n.at(-1);l.type==="text"&&p?.type==="text"?(p.raw+=l.raw,p.text+=l.text):n.push(l);continue}if(l=this.tokenizer.emStrong(t,i,o)){t=t.substring(l.raw.length),n.push(l);continue}if(l=this.tokenizer.codespan(t)){t=t.substring(l.raw.length),n.push(l);continue}if(l=this.tokenizer.br(t)){t=t.substring(l.raw.length),n.push(l);continue}if(l=this.tokenizer.del(t,i,o)){t=t.substring(l.raw.length),n.push(l);continue}if(l=this.tokenizer.autolink(t)){t=t.substring(l.raw.length),n.push(l);continue}if(!this.state.inLink&&(l=this.tokenizer.url(t))){t=t.substring(l.raw.length),n.push(l);continue}let d=t;if(this.options.extensions?.startInline){let p=1/0,g=t.slice(1),m;this.options.extensions.startInline.forEach(w=>{m=w.call({lexer:this},g),typeof m=="number"&&m>=0&&(p=Math.min(p,m))}),p<1/0&&p>=0&&(d=t.substring(0,p+1))}if(l=this.tokenizer.inlineText(d)){t=t.substring(l.raw.length),l.raw.slice(-1)!=="_"&&(o=l.raw.slice(-1)),r=!0;let p=n.at(-1);p?.type==="text"?(p.raw+=l.raw,p.text+=l.text):n.push(l);continue}if(t){let p="Infinite loop on byte: "+t.charCodeAt(0);if(this.options.silent){console.error(p);break}throw Error(p)}}return n}},Ye=class{constructor(e){N(this,"options");N(this,"parser");this.options=e||ye}space(e){return""}code({text:e,lang:t,escaped:n}){let i=(t||"").match(X.notSpaceStart)?.[0],s=e.replace(X.endingNewline,"")+`
`;return i?'<pre><code class="language-'+ae(i)+'">'+(n?s:ae(s,!0))+`</code></pre>
`:"<pre><code>"+(n?s:ae(s,!0))+`</code></pre>
`}blockquote({tokens:e}){return`<blockquote>
${this.parser.parse(e)}</blockquote>
`}html({text:e}){return e}def(e){return""}heading({tokens:e,depth:t}){return`<h${t}>${this.parser.parseInline(e)}</h${t}>
`}hr(e){return`<hr>
`}list(e){let t=e.ordered,n=e.start,i="";for(let r=0;r<e.items.length;r++){let o=e.items[r];i+=this.listitem(o)}let s=t?"ol":"ul",a=t&&n!==1?' start="'+n+'"':"";return"<"+s+a+`>
`+i+"</"+s+`>
`}listitem(e){return`<li>${this.parser.parse(e.tokens)}</li>
`}checkbox({checked:e}){return"<input "+(e?'checked="" ':"")+'disabled="" type="checkbox"> '}paragraph({tokens:e}){return`<p>${this.parser.parseInline(e)}</p>
`}table(e){let t="",n="";for(let s=0;s<e.header.length;s++)n+=this.tablecell(e.header[s]);t+=this.tablerow({text:n});let i="";for(let s=0;s<e.rows.length;s++){let a=e.rows[s];n="";for(let r=0;r<a.length;r++)n+=this.tablecell(a[r]);i+=this.tablerow({text:n})}return i&&(i=`<tbody>${i}</tbody>`),`<table>
<thead>
`+t+`</thead>
`+i+`</table>
`}tablerow({text:e}){return`<tr>
${e}</tr>
`}tablecell(e){let t=this.parser.parseInline(e.tokens),n=e.header?"th":"td";return(e.align?`<${n} align="${e.align}">`:`<${n}>`)+t+`</${n}>
`}strong({tokens:e}){return`<strong>${this.parser.parseInline(e)}</strong>`}em({tokens:e}){return`<em>${this.parser.parseInline(e)}</em>`}codespan({text:e}){return`<code>${ae(e,!0)}</code>`}br(e){return"<br>"}del({tokens:e}){return`<del>${this.parser.parseInline(e)}</del>`}link({href:e,title:t,tokens:n}){let i=this.parser.parseInline(n),s=Ln(e);if(s===null)return i;e=s;let a='<a href="'+e+'"';return t&&(a+=' title="'+ae(t)+'"'),a+=">"+i+"</a>",a}image({href:e,title:t,text:n,tokens:i}){i&&(n=this.parser.parseInline(i,this.parser.textRenderer));let s=Ln(e);if(s===null)return ae(n);e=s;let a=`<img src="${e}" alt="${ae(n)}"`;return t&&(a+=` title="${ae(t)}"`),a+=">",a}text(e){return"tokens"in e&&e.tokens?this.parser.parseInline(e.tokens):"escaped"in e&&e.escaped?e.text:ae(e.text)}},Pt=class{strong({text:e}){return e}em({text:e}){return e}codespan({text:e}){return e}del({text:e}){return e}html({text:e}){return e}text({text:e}){return e}link({text:e}){return""+e}image({text:e}){return""+e}br(){return""}checkbox({raw:e}){return e}},ne=class wt{constructor(t){N(this,"options");N(this,"renderer");N(this,"textRenderer");this.options=t||ye,this.options.renderer=this.options.renderer||new Ye,this.renderer=this.options.renderer,this.renderer.options=this.options,this.renderer.parser=this,this.textRenderer=new Pt}static parse(t,n){return new wt(n).parse(t)}static parseInline(t,n){return new wt(n).parseInline(t)}parse(t){this.renderer.parser=this;let n="";for(let i=0;i<t.length;i++){let s=t[i];if(this.options.extensions?.renderers?.[s.type]){let r=s,o=this.options.extensions.renderers[r.type].call({parser:this},r);if(o!==!1||!["space","hr","heading","code","table","blockquote","list","html","def","paragraph","text"].includes(r.type)){n+=o||"";continue}}let a=s;switch(a.type){case"space":n+=this.renderer.space(a);break;case"hr":n+=this.renderer.hr(a);break;case"heading":n+=this.renderer.heading(a);break;case"code":n+=this.renderer.code(a);break;case"table":n+=this.renderer.table(a);break;case"blockquote":n+=this.renderer.blockquote(a);break;case"list":n+=this.renderer.list(a);break;case"checkbox":n+=this.renderer.checkbox(a);break;case"html":n+=this.renderer.html(a);break;case"def":n+=this.renderer.def(a);break;case"paragraph":n+=this.renderer.paragraph(a);break;case"text":n+=this.renderer.text(a);break;default:{let r='Token with "'+a.type+'" type was not found.';if(this.options.silent)return console.error(r),"";throw Error(r)}}}return n}parseInline(t,n=this.renderer){this.renderer.parser=this;let i="";for(let s=0;s<t.length;s++){let a=t[s];if(this.options.extensions?.renderers?.[a.type]){let o=this.options.extensions.renderers[a.type].call({parser:this},a);if(o!==!1||!["escape","html","link","image","strong","em","codespan","br","del","text"].includes(a.type)){i+=o||"";continue}}let r=a;switch(r.type){case"escape":i+=n.text(r);break;case"html":i+=n.html(r);break;case"link":i+=n.link(r);break;case"image":i+=n.image(r);break;case"checkbox":i+=n.checkbox(r);break;case"strong":i+=n.strong(r);break;case"em":i+=n.em(r);break;case"codespan":i+=n.codespan(r);break;case"br":i+=n.br(r);break;case"del":i+=n.del(r);break;case"text":i+=n.text(r);break;default:{let o='Token with "'+r.type+'" type was not found.';if(this.options.silent)return console.error(o),"";throw Error(o)}}}return i}},Ze,Ie=(Ze=class{constructor(e){N(this,"options");N(this,"block");this.options=e||ye}preprocess(e){return e}postprocess(e){return e}processAllTokens(e){return e}emStrongMask(e){return e}provideLexer(){return this.block?te.lex:te.lexInline}provideParser(){return this.block?ne.parse:ne.parseInline}},N(Ze,"passThroughHooks",new Set(["preprocess","postprocess","processAllTokens","emStrongMask"])),N(Ze,"passThroughHooksRespectAsync",new Set(["preprocess","postprocess","processAllTokens"])),Ze),fe=new class{constructor(...e){N(this,"defaults",kt());N(this,"options",this.setOptions);N(this,"parse",this.parseMarkdown(!0));N(this,"parseInline",this.parseMarkdown(!1));N(this,"Parser",ne);N(this,"Renderer",Ye);N(this,"TextRenderer",Pt);N(this,"Lexer",te);N(this,"Tokenizer",Qe);N(this,"Hooks",Ie);this.use(...e)}walkTokens(e,t){let n=[];for(let i of e)switch(n=n.concat(t.call(this,i)),i.type){case"table":{let s=i;for(let a of s.header)n=n.concat(this.walkTokens(a.tokens,t));for(let a of s.rows)for(let r of a)n=n.concat(this.walkTokens(r.tokens,t));break}case"list":{let s=i;n=n.concat(this.walkTokens(s.items,t));break}default:{let s=i;this.defaults.extensions?.childTokens?.[s.type]?this.defaults.extensions.childTokens[s.type].forEach(a=>{let r=s[a].flat(1/0);n=n.concat(this.walkTokens(r,t))}):s.tokens&&(n=n.concat(this.walkTokens(s.tokens,t)))}}return n}use(...e){let t=this.defaults.extensions||{renderers:{},childTokens:{}};return e.forEach(n=>{let i={...n};if(i.async=this.defaults.async||i.async||!1,n.extensions&&(n.extensions.forEach(s=>{if(!s.name)throw Error("extension name required");if("renderer"in s){let a=t.renderers[s.name];a?t.renderers[s.name]=function(...r){let o=s.renderer.apply(this,r);return o===!1&&(o=a.apply(this,r)),o}:t.renderers[s.name]=s.renderer}if("tokenizer"in s){if(!s.level||s.level!=="block"&&s.level!=="inline")throw Error("extension level must be 'block' or 'inline'");let a=t[s.level];a?a.unshift(s.tokenizer):t[s.level]=[s.tokenizer],s.start&&(s.level==="block"?t.startBlock?t.startBlock.push(s.start):t.startBlock=[s.start]:s.level==="inline"&&(t.startInline?t.startInline.push(s.start):t.startInline=[s.start]))}"childTokens"in s&&s.childTokens&&(t.childTokens[s.name]=s.childTokens)}),i.extensions=t),n.renderer){let s=this.defaults.renderer||new Ye(this.defaults);for(let a in n.renderer){if(!(a in s))throw Error(`renderer '${a}' does not exist`);if(["options","parser"].includes(a))continue;let r=a,o=n.renderer[r],l=s[r];s[r]=(...d)=>{let p=o.apply(s,d);return p===!1&&(p=l.apply(s,d)),p||""}}i.renderer=s}if(n.tokenizer){let s=this.defaults.tokenizer||new Qe(this.defaults);for(let a in n.tokenizer){if(!(a in s))throw Error(`tokenizer '${a}' does not exist`);if(["options","rules","lexer"].includes(a))continue;let r=a,o=n.tokenizer[r],l=s[r];s[r]=(...d)=>{let p=o.apply(s,d);return p===!1&&(p=l.apply(s,d)),p}}i.tokenizer=s}if(n.hooks){let s=this.defaults.hooks||new Ie;for(let a in n.hooks){if(!(a in s))throw Error(`hook '${a}' does not exist`);if(["options","block"].includes(a))continue;let r=a,o=n.hooks[r],l=s[r];s[r]=Ie.passThroughHooks.has(a)?d=>{if(this.defaults.async&&Ie.passThroughHooksRespectAsync.has(a))return(async()=>{let g=await o.call(s,d);return l.call(s,g)})();let p=o.call(s,d);return l.call(s,p)}:(...d)=>{if(this.defaults.async)return(async()=>{let g=await o.apply(s,d);return g===!1&&(g=await l.apply(s,d)),g})();let p=o.apply(s,d);return p===!1&&(p=l.apply(s,d)),p}}i.hooks=s}if(n.walkTokens){let s=this.defaults.walkTokens,a=n.walkTokens;i.walkTokens=function(r){let o=[];return o.push(a.call(this,r)),s&&(o=o.concat(s.call(this,r))),o}}this.defaults={...this.defaults,...i}}),this}setOptions(e){return this.defaults={...this.defaults,...e},this}lexer(e,t){return te.lex(e,t??this.defaults)}parser(e,t){return ne.parse(e,t??this.defaults)}parseMarkdown(e){return(t,n)=>{let i={...n},s={...this.defaults,...i},a=this.onError(!!s.silent,!!s.async);if(this.defaults.async===!0&&i.async===!1)return a(Error("marked(): The async option was set to true by an extension. Remove async: false from the parse options object to return a Promise."));if(typeof t>"u"||t===null)return a(Error("marked(): input parameter is undefined or null"));if(typeof t!="string")return a(Error("marked(): input parameter is of type "+Object.prototype.toString.call(t)+", string expected"));if(s.hooks&&(s.hooks.options=s,s.hooks.block=e),s.async)return(async()=>{let r=s.hooks?await s.hooks.preprocess(t):t,o=await(s.hooks?await s.hooks.provideLexer():e?te.lex:te.lexInline)(r,s),l=s.hooks?await s.hooks.processAllTokens(o):o;s.walkTokens&&await Promise.all(this.walkTokens(l,s.walkTokens));let d=await(s.hooks?await s.hooks.provideParser():e?ne.parse:ne.parseInline)(l,s);return s.hooks?await s.hooks.postprocess(d):d})().catch(a);try{s.hooks&&(t=s.hooks.preprocess(t));let r=(s.hooks?s.hooks.provideLexer():e?te.lex:te.lexInline)(t,s);s.hooks&&(r=s.hooks.processAllTokens(r)),s.walkTokens&&this.walkTokens(r,s.walkTokens);let o=(s.hooks?s.hooks.provideParser():e?ne.parse:ne.parseInline)(r,s);return s.hooks&&(o=s.hooks.postprocess(o)),o}catch(r){return a(r)}}}onError(e,t){return n=>{if(n.message+=`
Please report this to https://github.com/markedjs/marked.`,e){let i="<p>An error occurred:</p><pre>"+ae(n.message+"",!0)+"</pre>";return t?Promise.resolve(i):i}if(t)return Promise.reject(n);throw n}}};function I(e,t){return fe.parse(e,t)}I.options=I.setOptions=function(e){return fe.setOptions(e),I.defaults=fe.defaults,Sn(I.defaults),I},I.getDefaults=kt,I.defaults=ye,I.use=function(...e){return fe.use(...e),I.defaults=fe.defaults,Sn(I.defaults),I},I.walkTokens=function(e,t){return fe.walkTokens(e,t)},I.parseInline=fe.parseInline,I.Parser=ne,I.parser=ne.parse,I.Renderer=Ye,I.TextRenderer=Pt,I.Lexer=te,I.lexer=te.lex,I.Tokenizer=Qe,I.Hooks=Ie,I.parse=I,I.options,I.setOptions,I.use,I.walkTokens,I.parseInline,ne.parse,te.lex;var $n=()=>{let e,t=null,n;function i(){if(t&&!t.closed)t.focus();else{if(t=window.open("about:blank","reveal.js - Notes","width=1100,height=700"),t.marked=I,t.document.write(`<!--
	NOTE: You need to build the notes plugin after making changes to this file.
-->
<html lang="en">
	<head>
		<meta charset="utf-8">

		<title>reveal.js - Speaker View</title>

		<style>
			body {
				font-family: Helvetica;
				font-size: 18px;
			}

			#current-slide,
			#upcoming-slide,
			#speaker-controls {
				padding: 6px;
				box-sizing: border-box;
				-moz-box-sizing: border-box;
			}

			#current-slide iframe,
			#upcoming-slide iframe {
				width: 100%;
				height: 100%;
				border: 1px solid #ddd;
			}

			#current-slide .label,
			#upcoming-slide .label {
				position: absolute;
				top: 10px;
				left: 10px;
				z-index: 2;
			}

			#connection-status {
				position: absolute;
				top: 0;
				left: 0;
				width: 100%;
				height: 100%;
				z-index: 20;
				padding: 30% 20% 20% 20%;
				font-size: 18px;
				color: #222;
				background: #fff;
				text-align: center;
				box-sizing: border-box;
				line-height: 1.4;
			}

			.overlay-element {
				height: 34px;
				line-height: 34px;
				padding: 0 10px;
				text-shadow: none;
				background: rgba( 220, 220, 220, 0.8 );
				color: #222;
				font-size: 14px;
			}

			.overlay-element.interactive:hover {
				background: rgba( 220, 220, 220, 1 );
			}

			#current-slide {
				position: absolute;
				width: 60%;
				height: 100%;
				top: 0;
				left: 0;
				padding-right: 0;
			}

			#upcoming-slide {
				position: absolute;
				width: 40%;
				height: 40%;
				right: 0;
				top: 0;
			}

			/* Speaker controls */
			#speaker-controls {
				position: absolute;
				top: 40%;
				right: 0;
				width: 40%;
				height: 60%;
				overflow: auto;
				font-size: 18px;
			}

				.speaker-controls-time.hidden,
				.speaker-controls-notes.hidden {
					display: none;
				}

				.speaker-controls-time .label,
				.speaker-controls-pace .label,
				.speaker-controls-notes .label {
					text-transform: uppercase;
					font-weight: normal;
					font-size: 0.66em;
					color: #666;
					margin: 0;
				}

				.speaker-controls-time, .speaker-controls-pace {
					border-bottom: 1px solid rgba( 200, 200, 200, 0.5 );
					margin-bottom: 10px;
					padding: 10px 16px;
					padding-bottom: 20px;
					cursor: pointer;
				}

				.speaker-controls-time .reset-button {
					opacity: 0;
					float: right;
					color: #666;
					text-decoration: none;
				}
				.speaker-controls-time:hover .reset-button {
					opacity: 1;
				}

				.speaker-controls-time .timer,
				.speaker-controls-time .clock {
					width: 50%;
				}

				.speaker-controls-time .timer,
				.speaker-controls-time .clock,
				.speaker-controls-time .pacing .hours-value,
				.speaker-controls-time .pacing .minutes-value,
				.speaker-controls-time .pacing .seconds-value {
					font-size: 1.9em;
				}

				.speaker-controls-time .timer {
					float: left;
				}

				.speaker-controls-time .clock {
					float: right;
					text-align: right;
				}

				.speaker-controls-time span.mute {
					opacity: 0.3;
				}

				.speaker-controls-time .pacing-title {
					margin-top: 5px;
				}

				.speaker-controls-time .pacing.ahead {
					color: blue;
				}

				.speaker-controls-time .pacing.on-track {
					color: green;
				}

				.speaker-controls-time .pacing.behind {
					color: red;
				}

				.speaker-controls-notes {
					padding: 10px 16px;
				}

				.speaker-controls-notes .value {
					margin-top: 5px;
					line-height: 1.4;
					font-size: 1.2em;
				}

			/* Layout selector */
			#speaker-layout {
				position: absolute;
				top: 10px;
				right: 10px;
				color: #222;
				z-index: 10;
			}
				#speaker-layout select {
					position: absolute;
					width: 100%;
					height: 100%;
					top: 0;
					left: 0;
					border: 0;
					box-shadow: 0;
					cursor: pointer;
					opacity: 0;

					font-size: 1em;
					background-color: transparent;

					-moz-appearance: none;
					-webkit-appearance: none;
					-webkit-tap-highlight-color: rgba(0, 0, 0, 0);
				}

				#speaker-layout select:focus {
					outline: none;
					box-shadow: none;
				}

			.clear {
				clear: both;
			}

			/* Speaker layout: Wide */
			body[data-speaker-layout="wide"] #current-slide,
			body[data-speaker-layout="wide"] #upcoming-slide {
				width: 50%;
				height: 45%;
				padding: 6px;
			}

			body[data-speaker-layout="wide"] #current-slide {
				top: 0;
				left: 0;
			}

			body[data-speaker-layout="wide"] #upcoming-slide {
				top: 0;
				left: 50%;
			}

			body[data-speaker-layout="wide"] #speaker-controls {
				top: 45%;
				left: 0;
				width: 100%;
				height: 50%;
				font-size: 1.25em;
			}

			/* Speaker layout: Tall */
			body[data-speaker-layout="tall"] #current-slide,
			body[data-speaker-layout="tall"] #upcoming-slide {
				width: 45%;
				height: 50%;
				padding: 6px;
			}

			body[data-speaker-layout="tall"] #current-slide {
				top: 0;
				left: 0;
			}

			body[data-speaker-layout="tall"] #upcoming-slide {
				top: 50%;
				left: 0;
			}

			body[data-speaker-layout="tall"] #speaker-controls {
				padding-top: 40px;
				top: 0;
				left: 45%;
				width: 55%;
				height: 100%;
				font-size: 1.25em;
			}

			/* Speaker layout: Notes only */
			body[data-speaker-layout="notes-only"] #current-slide,
			body[data-speaker-layout="notes-only"] #upcoming-slide {
				display: none;
			}

			body[data-speaker-layout="notes-only"] #speaker-controls {
				padding-top: 40px;
				top: 0;
				left: 0;
				width: 100%;
				height: 100%;
				font-size: 1.25em;
			}

			@media screen and (max-width: 1080px) {
				body[data-speaker-layout="default"] #speaker-controls {
					font-size: 16px;
				}
			}

			@media screen and (max-width: 900px) {
				body[data-speaker-layout="default"] #speaker-controls {
					font-size: 14px;
				}
			}

			@media screen and (max-width: 800px) {
				body[data-speaker-layout="default"] #speaker-controls {
					font-size: 12px;
				}
			}

		</style>
	</head>

	<body>

		<div id="connection-status">Loading speaker view...</div>

		<div id="current-slide"></div>
		<div id="upcoming-slide"><span class="overlay-element label">Upcoming</span></div>
		<div id="speaker-controls">
			<div class="speaker-controls-time">
				<h4 class="label">Time <span class="reset-button">Click to Reset</span></h4>
				<div class="clock">
					<span class="clock-value">0:00 AM</span>
				</div>
				<div class="timer">
					<span class="hours-value">00</span><span class="minutes-value">:00</span><span class="seconds-value">:00</span>
				</div>
				<div class="clear"></div>

				<h4 class="label pacing-title" style="display: none">Pacing – Time to finish current slide</h4>
				<div class="pacing" style="display: none">
					<span class="hours-value">00</span><span class="minutes-value">:00</span><span class="seconds-value">:00</span>
				</div>
			</div>

			<div class="speaker-controls-notes hidden">
				<h4 class="label">Notes</h4>
				<div class="value"></div>
			</div>
		</div>
		<div id="speaker-layout" class="overlay-element interactive">
			<span class="speaker-layout-label"></span>
			<select class="speaker-layout-dropdown"></select>
		</div>

		<script>

			(function() {

				var notes,
					notesValue,
					currentState,
					currentSlide,
					upcomingSlide,
					layoutLabel,
					layoutDropdown,
					pendingCalls = {},
					lastRevealApiCallId = 0,
					connected = false

				var connectionStatus = document.querySelector( '#connection-status' );

				var SPEAKER_LAYOUTS = {
					'default': 'Default',
					'wide': 'Wide',
					'tall': 'Tall',
					'notes-only': 'Notes only'
				};

				setupLayout();

				let openerOrigin;

				try {
					openerOrigin = window.opener.location.origin;
				}
				catch ( error ) { console.warn( error ) }

				// In order to prevent XSS, the speaker view will only run if its
				// opener has the same origin as itself
				if( window.location.origin !== openerOrigin ) {
					connectionStatus.innerHTML = 'Cross origin error.<br>The speaker window can only be opened from the same origin.';
					return;
				}

				var connectionTimeout = setTimeout( function() {
					connectionStatus.innerHTML = 'Error connecting to main window.<br>Please try closing and reopening the speaker view.';
				}, 5000 );

				window.addEventListener( 'message', function( event ) {

					// Validate the origin of all messages to avoid parsing messages
					// that aren't meant for us. Ignore when running off file:// so
					// that the speaker view continues to work without a web server.
					if( window.location.origin !== event.origin && window.location.origin !== 'file://' ) {
						return
					}

					clearTimeout( connectionTimeout );
					connectionStatus.style.display = 'none';

					var data = JSON.parse( event.data );

					// The overview mode is only useful to the reveal.js instance
					// where navigation occurs so we don't sync it
					if( data.state ) delete data.state.overview;

					// Messages sent by the notes plugin inside of the main window
					if( data && data.namespace === 'reveal-notes' ) {
						if( data.type === 'connect' ) {
							handleConnectMessage( data );
						}
						else if( data.type === 'state' ) {
							handleStateMessage( data );
						}
						else if( data.type === 'return' ) {
							pendingCalls[data.callId](data.result);
							delete pendingCalls[data.callId];
						}
					}
					// Messages sent by the reveal.js inside of the current slide preview
					else if( data && data.namespace === 'reveal' ) {
						const supportedEvents = [
							'slidechanged',
							'fragmentshown',
							'fragmenthidden',
							'paused',
							'resumed',
							'previewiframe',
							'previewimage',
							'previewvideo',
							'closeoverlay'
						];

						if( /ready/.test( data.eventName ) ) {
							// Send a message back to notify that the handshake is complete
							window.opener.postMessage( JSON.stringify({ namespace: 'reveal-notes', type: 'connected'} ), '*' );
						}
						else if( supportedEvents.includes( data.eventName ) && currentState !== JSON.stringify( data.state ) ) {
							dispatchStateToMainWindow( data.state );
						}
					}

				} );

				/**
				 * Updates the presentation in the main window to match the state
				 * of the presentation in the notes window.
				 */
				const dispatchStateToMainWindow = debounce(( state ) => {
					window.opener.postMessage( JSON.stringify({ method: 'setState', args: [ state ]} ), '*' );
				}, 500);

				/**
				 * Asynchronously calls the Reveal.js API of the main frame.
				 */
				function callRevealApi( methodName, methodArguments, callback ) {

					var callId = ++lastRevealApiCallId;
					pendingCalls[callId] = callback;
					window.opener.postMessage( JSON.stringify( {
						namespace: 'reveal-notes',
						type: 'call',
						callId: callId,
						methodName: methodName,
						arguments: methodArguments
					} ), '*' );

				}

				/**
				 * Called when the main window is trying to establish a
				 * connection.
				 */
				function handleConnectMessage( data ) {

					if( connected === false ) {
						connected = true;

						setupIframes( data );
						setupKeyboard();
						setupNotes();
						setupTimer();
						setupHeartbeat();
					}

				}

				/**
				 * Called when the main window sends an updated state.
				 */
				function handleStateMessage( data ) {

					// Store the most recently set state to avoid circular loops
					// applying the same state
					currentState = JSON.stringify( data.state );

					// No need for updating the notes in case of fragment changes
					if ( data.notes ) {
						notes.classList.remove( 'hidden' );
						notesValue.style.whiteSpace = data.whitespace;
						if( data.markdown ) {
							notesValue.innerHTML = marked.parse( data.notes );
						}
						else {
							notesValue.innerHTML = data.notes;
						}
					}
					else {
						notes.classList.add( 'hidden' );
					}

					// Don't show lightboxes in the upcoming slide
					const { previewVideo, previewImage, previewIframe, ...upcomingState } = data.state;

					// Update the note slides
					currentSlide.contentWindow.postMessage( JSON.stringify({ method: 'setState', args: [ data.state ] }), '*' );
					upcomingSlide.contentWindow.postMessage( JSON.stringify({ method: 'setState', args: [ upcomingState ] }), '*' );
					upcomingSlide.contentWindow.postMessage( JSON.stringify({ method: 'next' }), '*' );

				}

				// Limit to max one state update per X ms
				handleStateMessage = debounce( handleStateMessage, 200 );

				/**
				 * Forward keyboard events to the current slide window.
				 * This enables keyboard events to work even if focus
				 * isn't set on the current slide iframe.
				 *
				 * Block F5 default handling, it reloads and disconnects
				 * the speaker notes window.
				 */
				function setupKeyboard() {

					document.addEventListener( 'keydown', function( event ) {
						if( event.keyCode === 116 || ( event.metaKey && event.keyCode === 82 ) ) {
							event.preventDefault();
							return false;
						}
						currentSlide.contentWindow.postMessage( JSON.stringify({ method: 'triggerKey', args: [ event.keyCode ] }), '*' );
					} );

				}

				/**
				 * Creates the preview iframes.
				 */
				function setupIframes( data ) {

					var params = [
						'receiver',
						'progress=false',
						'history=false',
						'transition=none',
						'autoSlide=0',
						'backgroundTransition=none'
					].join( '&' );

					var urlSeparator = /\\?/.test(data.url) ? '&' : '?';
					var hash = '#/' + data.state.indexh + '/' + data.state.indexv;
					var currentURL = data.url + urlSeparator + params + '&scrollActivationWidth=false&postMessageEvents=true' + hash;
					var upcomingURL = data.url + urlSeparator + params + '&scrollActivationWidth=false&controls=false' + hash;

					currentSlide = document.createElement( 'iframe' );
					currentSlide.setAttribute( 'width', 1280 );
					currentSlide.setAttribute( 'height', 1024 );
					currentSlide.setAttribute( 'src', currentURL );
					document.querySelector( '#current-slide' ).appendChild( currentSlide );

					upcomingSlide = document.createElement( 'iframe' );
					upcomingSlide.setAttribute( 'width', 640 );
					upcomingSlide.setAttribute( 'height', 512 );
					upcomingSlide.setAttribute( 'src', upcomingURL );
					document.querySelector( '#upcoming-slide' ).appendChild( upcomingSlide );

				}

				/**
				 * Setup the notes UI.
				 */
				function setupNotes() {

					notes = document.querySelector( '.speaker-controls-notes' );
					notesValue = document.querySelector( '.speaker-controls-notes .value' );

				}

				/**
				 * We send out a heartbeat at all times to ensure we can
				 * reconnect with the main presentation window after reloads.
				 */
				function setupHeartbeat() {

					setInterval( () => {
						window.opener.postMessage( JSON.stringify({ namespace: 'reveal-notes', type: 'heartbeat'} ), '*' );
					}, 1000 );

				}

				function getTimings( callback ) {

					callRevealApi( 'getSlidesAttributes', [], function ( slideAttributes ) {
						callRevealApi( 'getConfig', [], function ( config ) {
							var totalTime = config.totalTime;
							var minTimePerSlide = config.minimumTimePerSlide || 0;
							var defaultTiming = config.defaultTiming;
							if ((defaultTiming == null) && (totalTime == null)) {
								callback(null);
								return;
							}
							// Setting totalTime overrides defaultTiming
							if (totalTime) {
								defaultTiming = 0;
							}
							var timings = [];
							for ( var i in slideAttributes ) {
								var slide = slideAttributes[ i ];
								var timing = defaultTiming;
								if( slide.hasOwnProperty( 'data-timing' )) {
									var t = slide[ 'data-timing' ];
									timing = parseInt(t);
									if( isNaN(timing) ) {
										console.warn("Could not parse timing '" + t + "' of slide " + i + "; using default of " + defaultTiming);
										timing = defaultTiming;
									}
								}
								timings.push(timing);
							}
							if ( totalTime ) {
								// After we've allocated time to individual slides, we summarize it and
								// subtract it from the total time
								var remainingTime = totalTime - timings.reduce( function(a, b) { return a + b; }, 0 );
								// The remaining time is divided by the number of slides that have 0 seconds
								// allocated at the moment, giving the average time-per-slide on the remaining slides
								var remainingSlides = (timings.filter( function(x) { return x == 0 }) ).length
								var timePerSlide = Math.round( remainingTime / remainingSlides, 0 )
								// And now we replace every zero-value timing with that average
								timings = timings.map( function(x) { return (x==0 ? timePerSlide : x) } );
							}
							var slidesUnderMinimum = timings.filter( function(x) { return (x < minTimePerSlide) } ).length
							if ( slidesUnderMinimum ) {
								message = "The pacing time for " + slidesUnderMinimum + " slide(s) is under the configured minimum of " + minTimePerSlide + " seconds. Check the data-timing attribute on individual slides, or consider increasing the totalTime or minimumTimePerSlide configuration options (or removing some slides).";
								alert(message);
							}
							callback( timings );
						} );
					} );

				}

				/**
				 * Return the number of seconds allocated for presenting
				 * all slides up to and including this one.
				 */
				function getTimeAllocated( timings, callback ) {

					callRevealApi( 'getSlidePastCount', [], function ( currentSlide ) {
						var allocated = 0;
						for (var i in timings.slice(0, currentSlide + 1)) {
							allocated += timings[i];
						}
						callback( allocated );
					} );

				}

				/**
				 * Create the timer and clock and start updating them
				 * at an interval.
				 */
				function setupTimer() {

					var start = new Date(),
					timeEl = document.querySelector( '.speaker-controls-time' ),
					clockEl = timeEl.querySelector( '.clock-value' ),
					hoursEl = timeEl.querySelector( '.hours-value' ),
					minutesEl = timeEl.querySelector( '.minutes-value' ),
					secondsEl = timeEl.querySelector( '.seconds-value' ),
					pacingTitleEl = timeEl.querySelector( '.pacing-title' ),
					pacingEl = timeEl.querySelector( '.pacing' ),
					pacingHoursEl = pacingEl.querySelector( '.hours-value' ),
					pacingMinutesEl = pacingEl.querySelector( '.minutes-value' ),
					pacingSecondsEl = pacingEl.querySelector( '.seconds-value' );

					var timings = null;
					getTimings( function ( _timings ) {

						timings = _timings;
						if (_timings !== null) {
							pacingTitleEl.style.removeProperty('display');
							pacingEl.style.removeProperty('display');
						}

						// Update once directly
						_updateTimer();

						// Then update every second
						setInterval( _updateTimer, 1000 );

					} );


					function _resetTimer() {

						if (timings == null) {
							start = new Date();
							_updateTimer();
						}
						else {
							// Reset timer to beginning of current slide
							getTimeAllocated( timings, function ( slideEndTimingSeconds ) {
								var slideEndTiming = slideEndTimingSeconds * 1000;
								callRevealApi( 'getSlidePastCount', [], function ( currentSlide ) {
									var currentSlideTiming = timings[currentSlide] * 1000;
									var previousSlidesTiming = slideEndTiming - currentSlideTiming;
									var now = new Date();
									start = new Date(now.getTime() - previousSlidesTiming);
									_updateTimer();
								} );
							} );
						}

					}

					timeEl.addEventListener( 'click', function() {
						_resetTimer();
						return false;
					} );

					function _displayTime( hrEl, minEl, secEl, time) {

						var sign = Math.sign(time) == -1 ? "-" : "";
						time = Math.abs(Math.round(time / 1000));
						var seconds = time % 60;
						var minutes = Math.floor( time / 60 ) % 60 ;
						var hours = Math.floor( time / ( 60 * 60 )) ;
						hrEl.innerHTML = sign + zeroPadInteger( hours );
						if (hours == 0) {
							hrEl.classList.add( 'mute' );
						}
						else {
							hrEl.classList.remove( 'mute' );
						}
						minEl.innerHTML = ':' + zeroPadInteger( minutes );
						if (hours == 0 && minutes == 0) {
							minEl.classList.add( 'mute' );
						}
						else {
							minEl.classList.remove( 'mute' );
						}
						secEl.innerHTML = ':' + zeroPadInteger( seconds );
					}

					function _updateTimer() {

						var diff, hours, minutes, seconds,
						now = new Date();

						diff = now.getTime() - start.getTime();

						clockEl.innerHTML = now.toLocaleTimeString( 'en-US', { hour12: true, hour: '2-digit', minute:'2-digit' } );
						_displayTime( hoursEl, minutesEl, secondsEl, diff );
						if (timings !== null) {
							_updatePacing(diff);
						}

					}

					function _updatePacing(diff) {

						getTimeAllocated( timings, function ( slideEndTimingSeconds ) {
							var slideEndTiming = slideEndTimingSeconds * 1000;

							callRevealApi( 'getSlidePastCount', [], function ( currentSlide ) {
								var currentSlideTiming = timings[currentSlide] * 1000;
								var timeLeftCurrentSlide = slideEndTiming - diff;
								if (timeLeftCurrentSlide < 0) {
									pacingEl.className = 'pacing behind';
								}
								else if (timeLeftCurrentSlide < currentSlideTiming) {
									pacingEl.className = 'pacing on-track';
								}
								else {
									pacingEl.className = 'pacing ahead';
								}
								_displayTime( pacingHoursEl, pacingMinutesEl, pacingSecondsEl, timeLeftCurrentSlide );
							} );
						} );
					}

				}

				/**
				 * Sets up the speaker view layout and layout selector.
				 */
				function setupLayout() {

					layoutDropdown = document.querySelector( '.speaker-layout-dropdown' );
					layoutLabel = document.querySelector( '.speaker-layout-label' );

					// Render the list of available layouts
					for( var id in SPEAKER_LAYOUTS ) {
						var option = document.createElement( 'option' );
						option.setAttribute( 'value', id );
						option.textContent = SPEAKER_LAYOUTS[ id ];
						layoutDropdown.appendChild( option );
					}

					// Monitor the dropdown for changes
					layoutDropdown.addEventListener( 'change', function( event ) {

						setLayout( layoutDropdown.value );

					}, false );

					// Restore any currently persisted layout
					setLayout( getLayout() );

				}

				/**
				 * Sets a new speaker view layout. The layout is persisted
				 * in local storage.
				 */
				function setLayout( value ) {

					var title = SPEAKER_LAYOUTS[ value ];

					layoutLabel.innerHTML = 'Layout' + ( title ? ( ': ' + title ) : '' );
					layoutDropdown.value = value;

					document.body.setAttribute( 'data-speaker-layout', value );

					// Persist locally
					if( supportsLocalStorage() ) {
						window.localStorage.setItem( 'reveal-speaker-layout', value );
					}

				}

				/**
				 * Returns the ID of the most recently set speaker layout
				 * or our default layout if none has been set.
				 */
				function getLayout() {

					if( supportsLocalStorage() ) {
						var layout = window.localStorage.getItem( 'reveal-speaker-layout' );
						if( layout ) {
							return layout;
						}
					}

					// Default to the first record in the layouts hash
					for( var id in SPEAKER_LAYOUTS ) {
						return id;
					}

				}

				function supportsLocalStorage() {

					try {
						localStorage.setItem('test', 'test');
						localStorage.removeItem('test');
						return true;
					}
					catch( e ) {
						return false;
					}

				}

				function zeroPadInteger( num ) {

					var str = '00' + parseInt( num );
					return str.substring( str.length - 2 );

				}

				/**
				 * Limits the frequency at which a function can be called.
				 */
				function debounce( fn, ms ) {

					var lastTime = 0,
						timeout;

					return function() {

						var args = arguments;
						var context = this;

						clearTimeout( timeout );

						var timeSinceLastCall = Date.now() - lastTime;
						if( timeSinceLastCall > ms ) {
							fn.apply( context, args );
							lastTime = Date.now();
						}
						else {
							timeout = setTimeout( function() {
								fn.apply( context, args );
								lastTime = Date.now();
							}, ms - timeSinceLastCall );
						}

					}

				}

			})();

		<\/script>
	</body>
</html>`),!t){alert("Speaker view popup failed to open. Please make sure popups are allowed and reopen the speaker view.");return}a()}}function s(g){t&&!t.closed?t.focus():(t=g,window.addEventListener("message",d),p())}function a(){let g=n.getConfig().url,m=typeof g=="string"?g:window.location.protocol+"//"+window.location.host+window.location.pathname+window.location.search;e=setInterval(function(){t.postMessage(JSON.stringify({namespace:"reveal-notes",type:"connect",state:n.getState(),url:m}),"*")},500),window.addEventListener("message",d)}function r(g,m,w){let h=n[g].apply(n,m);t.postMessage(JSON.stringify({namespace:"reveal-notes",type:"return",result:h,callId:w}),"*")}function o(g){let m=n.getCurrentSlide(),w=m.querySelectorAll("aside.notes"),h=m.querySelector(".current-fragment"),S={namespace:"reveal-notes",type:"state",notes:"",markdown:!1,whitespace:"normal",state:n.getState()};if(m.hasAttribute("data-notes")&&(S.notes=m.getAttribute("data-notes"),S.whitespace="pre-wrap"),h){let P=h.querySelector("aside.notes");P?(S.notes=P.innerHTML,S.markdown=typeof P.getAttribute("data-markdown")=="string",w=null):h.hasAttribute("data-notes")&&(S.notes=h.getAttribute("data-notes"),S.whitespace="pre-wrap",w=null)}w&&w.length&&(w=Array.from(w).filter(P=>P.closest(".fragment")===null),S.notes=w.map(P=>P.innerHTML).join(`
`),S.markdown=w[0]&&typeof w[0].getAttribute("data-markdown")=="string"),t.postMessage(JSON.stringify(S),"*")}function l(g){try{return window.location.origin===g.source.location.origin}catch{return!1}}function d(g){if(l(g))try{let m=JSON.parse(g.data);m&&m.namespace==="reveal-notes"&&m.type==="connected"?(clearInterval(e),p()):m&&m.namespace==="reveal-notes"&&m.type==="call"&&r(m.methodName,m.arguments,m.callId)}catch{}}function p(){n.on("slidechanged",o),n.on("fragmentshown",o),n.on("fragmenthidden",o),n.on("overviewhidden",o),n.on("overviewshown",o),n.on("paused",o),n.on("resumed",o),n.on("previewiframe",o),n.on("previewimage",o),n.on("previewvideo",o),n.on("closeoverlay",o),o()}return{id:"notes",init:function(g){n=g,/receiver/i.test(window.location.search)||(window.location.search.match(/(\?|\&)notes/gi)===null?window.addEventListener("message",m=>{if(!t&&typeof m.data=="string"){let w;try{w=JSON.parse(m.data)}catch{}w&&w.namespace==="reveal-notes"&&w.type==="heartbeat"&&s(m.source)}}):i(),n.addKeyBinding({keyCode:83,key:"S",description:"Speaker notes view"},function(){i()}))},open:i}};return vi(qs);})();
